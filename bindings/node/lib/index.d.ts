// SPDX-License-Identifier: BSD-2-Clause
/// <reference types="node" />

/** Objects that can be filled with bytes. */
export type Fillable = ArrayBufferView | ArrayBuffer | SharedArrayBuffer;
/** Typed arrays of integers. */
export type IntegerArray =
	| Int8Array | Uint8Array | Uint8ClampedArray | Int16Array | Uint16Array | Int32Array | Uint32Array | BigInt64Array | BigUint64Array;
/** Arrays that fillIntegers fills with numbers. */
export type NumberArray = Int32Array | Uint32Array | Float64Array;
/** Arrays that fillIntegers fills with BigInts. */
export type BigArray = BigInt64Array | BigUint64Array;
/** Arrays whose elements can be swapped. */
export type Shufflable = unknown[] | IntegerArray | Float32Array | Float64Array;

/** A Buffer over memory that is not shared, if Node's types make the distinction: it is a BufferSource. */
export type Bytes = ReturnType<typeof Buffer.allocUnsafeSlow>;
/** A UUID as text. */
export type UUID = `${string}-${string}-${string}-${string}-${string}`;

/**
 * Random bytes of full strength, as crypto.randomBytes.
 * @param size from 0 to 2^31 - 1
 * @param callback if given, gets the bytes in a later turn of the event loop
 * @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE
 */
export function randomBytes(size: number): Bytes;
export function randomBytes(size: number, callback: (error: Error | null, bytes: Bytes) => void): void;

/**
 * Fill with random bytes, as crypto.randomFillSync.
 * @param offset the first element of the array that is filled (default: 0), and `size` their number (default: all that follow)
 * @returns the buffer
 * @throws ERR_INVALID_ARG_TYPE, ERR_OUT_OF_RANGE
 */
export function randomFillSync<T extends Fillable>(buffer: T, offset?: number, size?: number): T;
/** The same, asynchronously, in slices of a mebibyte between which other events are handled. */
export function randomFill<T extends Fillable>(buffer: T, callback: (error: Error | null, buffer: T) => void): void;
export function randomFill<T extends Fillable>(buffer: T, offset: number, callback: (error: Error | null, buffer: T) => void): void;
export function randomFill<T extends Fillable>(
	buffer: T, offset: number, size: number, callback: (error: Error | null, buffer: T) => void): void;

/**
 * Crypto.getRandomValues() of the Web Cryptography API.
 * @returns the array
 * @throws DOMException TypeMismatchError, or QuotaExceededError for more than 65536 bytes
 */
export function getRandomValues<T extends IntegerArray>(array: T): T;

/**
 * A uniform integer in [min, max), as crypto.randomInt.
 * @param min default: 0
 * @param max above min, by 2^53 - 1 at most
 * @throws ERR_OUT_OF_RANGE, also if the range is empty; ERR_INVALID_ARG_TYPE if an end is not a safe integer
 */
export function randomInt(max: number): number;
export function randomInt(min: number, max: number): number;
export function randomInt(max: number, callback: (error: undefined, value: number) => void): void;
export function randomInt(min: number, max: number, callback: (error: undefined, value: number) => void): void;

/**
 * A uniform integer in [min, max), both within [-2^63, 2^63] or within [0, 2^64].
 * @param min default: 0
 * @throws ERR_OUT_OF_RANGE, also if the range is empty; ERR_INVALID_ARG_TYPE
 */
export function randomBigInt(max: bigint): bigint;
export function randomBigInt(min: bigint, max: bigint): bigint;

/**
 * A version 4 UUID, as crypto.randomUUID.
 * @param options without effect, because there is no cache
 */
export function randomUUID(options?: { disableEntropyCache?: boolean }): UUID;

/** A version 7 UUID: each one of this process is greater than those before it, in all Workers (as WebAssembly: in each Worker). */
export function randomUUIDv7(): UUID;

/**
 * True with probability p, or numerator / denominator: exactly.
 * @param p below 0, or NaN, counts as 0, and above 1 as 1
 * @param denominator above 0
 * @throws ERR_OUT_OF_RANGE, ERR_INVALID_ARG_TYPE
 */
export function bernoulli(p: number): boolean;
export function bernoulli(numerator: number, denominator: number): boolean;
export function bernoulli(numerator: bigint, denominator: bigint): boolean;

/** A table of weights, for choose(). */
export class Weighted {
	/**
	 * @param weights integers; their sum is above 0, and below 2^64 when multiplied by their number
	 * @throws ERR_OUT_OF_RANGE, ERR_INVALID_ARG_TYPE
	 */
	constructor(weights: Iterable<number | bigint>);
	private readonly table: unknown;
}
/** An index of the weights, each with probability weight / sum, exactly, in constant time. */
export function choose(weighted: Weighted): number;

/**
 * A text of characters of an alphabet, all equally likely.
 * @param alphabet 1 to 256 characters
 * @throws ERR_OUT_OF_RANGE, ERR_INVALID_ARG_TYPE
 */
export function text(length: number, alphabet: string): string;
/**
 * A function that returns such texts, as nanoid's.
 * @param defaultSize default: 21
 */
export function customAlphabet(alphabet: string, defaultSize?: number): (size?: number) => string;

/** A uniform multiple of 2^-53 in [0, 1); replaces Math.random. */
export function random(): number;
/**
 * A normally distributed number.
 * @param mu the mean (default: 0)
 * @param sigma the standard deviation, 0 or more (default: 1)
 * @throws ERR_OUT_OF_RANGE if one is not finite
 */
export function normal(mu?: number, sigma?: number): number;
/**
 * An exponentially distributed number.
 * @param mean 0 or more (default: 1)
 * @throws ERR_OUT_OF_RANGE
 */
export function exponential(mean?: number): number;

/** Fill with uniform integers over the type's whole range. */
export function fillUint32<T extends Uint32Array>(array: T): T;
export function fillUint64<T extends BigUint64Array>(array: T): T;
/** Fill with uniform multiples of 2^-24 in [0, 1). */
export function fillFloat<T extends Float32Array>(array: T): T;
/** Fill with numbers like those of random(). */
export function fillDouble<T extends Float64Array>(array: T): T;
/** Fill with numbers like those of normal(). */
export function fillNormal<T extends Float64Array>(array: T, mu?: number, sigma?: number): T;
/** Fill with numbers like those of exponential(). */
export function fillExponential<T extends Float64Array>(array: T, mean?: number): T;
/**
 * Fill with uniform integers in [min, max).
 * @returns the array
 * @throws ERR_OUT_OF_RANGE, also if the range is empty; ERR_INVALID_ARG_TYPE
 */
export function fillIntegers<T extends NumberArray>(array: T, min: number, max: number): T;
export function fillIntegers<T extends BigArray>(array: T, min: bigint, max: bigint): T;

/**
 * k distinct integers in [0, n), in random order.
 * @throws ERR_OUT_OF_RANGE if k is above n; ERR_INVALID_ARG_TYPE
 */
export function sample(k: number, n: number): number[];
export function sample(k: number, n: bigint): bigint[];
/**
 * Put the elements into random order, in place; a hole counts as undefined.
 * @returns the array
 * @throws ERR_INVALID_ARG_TYPE for anything but an Array or typed array; what the array throws if it refuses an element: then others
 *   may be missing or there twice
 */
export function shuffle<T extends Shufflable>(array: T): T;

/** Bytes from the process's Fortuna, for long-lived keys. */
export function strongBytes(size: number): Bytes;

/** Drop all buffered bytes, in all threads: no byte drawn after this returns was generated before the call. */
export function invalidate(): void;
/**
 * The same, and reseed from the kernel before the next bytes.
 * @throws ERR_CPRNG if the kernel does not answer; then nothing has changed
 */
export function reseed(): void;

/** Describes the implementation of this process's draws; blockLock is for this thread's blocks. */
export interface Info {
	form: "addon" | "webassembly";
	/** Why the form is WebAssembly; "" for the addon. */
	reason: string;
	engine: string;
	backend: string;
	placement: "per-cpu" | "slots" | "unbuffered";
	entropy: string;
	forkGuard: "wipe-on-fork" | "none-on-fork" | "no fork" | "unbuffered";
	memoryLock: "locked" | "refused" | "none";
	blockLock: "locked" | "refused" | "none";
}
export function info(): Info;
/** The version of the package and its library. */
export const version: string;

/** Names of engines for streams. */
export type Engine =
	| "chacha20" | "chacha12" | "chacha8" | "salsa20" | "salsa20-12" | "salsa20-8" | "aes256-ctr" | "aes128-ctr";

/**
 * Reproducible bytes and numbers from a seed, the same in every language that has the library: for simulations and tests, and NOT
 * for secrets. The functions with names of the module's have the same arguments and results.
 *
 * All functions throw ERR_OUT_OF_RANGE, with the offset unchanged, if the stream ends before the last byte, after 2^64 - 1 bytes or, with
 * a nonce of 12 bytes, 2^38; the array of fillIntegers() or shuffle() then has other numbers, or another order. After wipe() they throw
 * ERR_INVALID_STATE.
 */
export class Stream {
	/**
	 * @param seed an integer of any size, a nonempty string without NUL or lone surrogates, or 16 bytes or more. Seeds of different
	 *   types never give the same stream: 1 and "1" differ.
	 * @param options the engine (default: "chacha8")
	 * @throws ERR_INVALID_ARG_VALUE, ERR_OUT_OF_RANGE, ERR_INVALID_ARG_TYPE
	 */
	constructor(seed: number | bigint | string | ArrayBufferView | ArrayBuffer, options?: { engine?: Engine });
	/**
	 * The keystream of an engine.
	 * @param options the engine, and the nonce (default: zeros)
	 * @throws ERR_OUT_OF_RANGE if the engine does not take a key or nonce of this size; ERR_INVALID_ARG_VALUE
	 */
	static fromKey(key: ArrayBufferView | ArrayBuffer, options?: { engine?: Engine; nonce?: ArrayBufferView | ArrayBuffer }): Stream;
	/**
	 * Continue from a checkpoint.
	 * @throws ERR_INVALID_ARG_VALUE if the bytes are not a whole checkpoint
	 */
	static fromCheckpoint(checkpoint: ArrayBufferView | ArrayBuffer): Stream;
	/** The state in 128 bytes, which every language reads. They are as secret as the key. */
	checkpoint(): Bytes;
	/** Throws: a stream cannot be written as JSON, cloned or sent; its checkpoint can. */
	toJSON(): never;
	/** A second stream with the same state. */
	clone(): Stream;
	/** Child number index, independent of this stream, its offset and its other children. */
	child(index: number | bigint): Stream;
	/** Erase the stream; later calls throw. */
	wipe(): void;

	/** The offset in bytes of the next byte. */
	get offset(): bigint;
	/** Set the offset, in constant time. */
	seek(offset: number | bigint): this;
	/** Move the offset by this many bytes, backwards if negative, in constant time. */
	advance(bytes: number | bigint): this;

	randomBytes(size: number): Bytes;
	randomFillSync<T extends Fillable>(buffer: T, offset?: number, size?: number): T;
	uint8(): number;
	uint16(): number;
	uint32(): number;
	uint64(): bigint;
	boolean(): boolean;
	/** A multiple of 2^-24 in [0, 1), from 4 bytes. */
	float(): number;
	/** A multiple of 2^-53 in [0, 1), from 8 bytes. */
	random(): number;
	randomInt(max: number): number;
	randomInt(min: number, max: number): number;
	randomBigInt(max: bigint): bigint;
	randomBigInt(min: bigint, max: bigint): bigint;
	bernoulli(p: number): boolean;
	bernoulli(numerator: number, denominator: number): boolean;
	bernoulli(numerator: bigint, denominator: bigint): boolean;
	choose(weighted: Weighted): number;
	text(length: number, alphabet: string): string;
	randomUUID(): UUID;
	/** A version 7 UUID of this time and of 74 bits of the stream: UUIDs of one millisecond are in no order. */
	randomUUIDv7(milliseconds: number): UUID;
	normal(mu?: number, sigma?: number): number;
	exponential(mean?: number): number;
	fillUint32<T extends Uint32Array>(array: T): T;
	fillUint64<T extends BigUint64Array>(array: T): T;
	fillFloat<T extends Float32Array>(array: T): T;
	fillDouble<T extends Float64Array>(array: T): T;
	fillNormal<T extends Float64Array>(array: T, mu?: number, sigma?: number): T;
	fillExponential<T extends Float64Array>(array: T, mean?: number): T;
	fillIntegers<T extends NumberArray>(array: T, min: number, max: number): T;
	fillIntegers<T extends BigArray>(array: T, min: bigint, max: bigint): T;
	sample(k: number, n: number): number[];
	sample(k: number, n: bigint): bigint[];
	shuffle<T extends Shufflable>(array: T): T;
}
