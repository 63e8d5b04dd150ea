// SPDX-License-Identifier: BSD-2-Clause
/// <reference types="node" />

/** What can be filled with bytes. */
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

/** A Buffer over memory that is not shared, where the types of Node tell them apart: it is a BufferSource. */
export type Bytes = ReturnType<typeof Buffer.allocUnsafeSlow>;

/** Random bytes, as crypto.randomBytes; of full strength. */
export function randomBytes(size: number): Bytes;
export function randomBytes(size: number, callback: (error: Error | null, bytes: Bytes) => void): void;

/** Fill with random bytes, as crypto.randomFillSync: offset and size count elements of the array. */
export function randomFillSync<T extends Fillable>(buffer: T, offset?: number, size?: number): T;
/** The same, asynchronously, in slices of a mebibyte between which other events are handled. */
export function randomFill<T extends Fillable>(buffer: T, callback: (error: Error | null, buffer: T) => void): void;
export function randomFill<T extends Fillable>(buffer: T, offset: number, callback: (error: Error | null, buffer: T) => void): void;
export function randomFill<T extends Fillable>(
	buffer: T, offset: number, size: number, callback: (error: Error | null, buffer: T) => void): void;

/** Crypto.getRandomValues() of the Web Cryptography API, which allows 65536 bytes in a call. */
export function getRandomValues<T extends IntegerArray>(array: T): T;

/** A uniform integer of [min, max), min being 0 if it is left out, as crypto.randomInt; max - min is at most 2^53 - 1. */
export function randomInt(max: number): number;
export function randomInt(min: number, max: number): number;
export function randomInt(max: number, callback: (error: undefined, value: number) => void): void;
export function randomInt(min: number, max: number, callback: (error: undefined, value: number) => void): void;

/** A uniform integer of [min, max), both within [-2^63, 2^63] or within [0, 2^64]. */
export function randomBigInt(max: bigint): bigint;
export function randomBigInt(min: bigint, max: bigint): bigint;

/** A UUID of version 4, as crypto.randomUUID; the option has no effect, for there is no cache. */
export function randomUUID(options?: { disableEntropyCache?: boolean }): `${string}-${string}-${string}-${string}-${string}`;

/** A uniform multiple of 2^-53 in [0, 1): in place of Math.random. */
export function random(): number;
/** A normally distributed number; mu defaults to 0 and sigma to 1. */
export function normal(mu?: number, sigma?: number): number;
/** An exponentially distributed number; mean defaults to 1. */
export function exponential(mean?: number): number;

/** Fill with uniform integers of all bits. */
export function fillUint32<T extends Uint32Array>(array: T): T;
export function fillUint64<T extends BigUint64Array>(array: T): T;
/** Fill with uniform multiples of 2^-24 in [0, 1). */
export function fillFloat<T extends Float32Array>(array: T): T;
/** Fill with numbers as random() gives. */
export function fillDouble<T extends Float64Array>(array: T): T;
export function fillNormal<T extends Float64Array>(array: T, mu?: number, sigma?: number): T;
export function fillExponential<T extends Float64Array>(array: T, mean?: number): T;
/** Fill with uniform integers of [min, max). */
export function fillIntegers<T extends NumberArray>(array: T, min: number, max: number): T;
export function fillIntegers<T extends BigArray>(array: T, min: bigint, max: bigint): T;

/** k distinct integers of [0, n), in random order. */
export function sample(k: number, n: number): number[];
export function sample(k: number, n: bigint): bigint[];
/** Put the elements, and holes, into random order; returns the array. Where it throws, the array is as it was. */
export function shuffle<T extends Shufflable>(array: T): T;

/** Bytes of the process's Fortuna, for long-lived keys. */
export function strongBytes(size: number): Bytes;

/** Drop all buffered bytes, in all threads: no byte drawn after the return was generated before the call. */
export function invalidate(): void;
/** The same, and reseed from the kernel before the next bytes. Throws, with nothing changed, if the kernel does not answer. */
export function reseed(): void;

/** Describes the implementation of this process's draws; blockLock concerns this thread's blocks. */
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
 * Reproducible bytes and numbers of a seed, the same in every language that has the library: for simulations and tests, and NOT
 * for secrets.
 */
export class Stream {
	/**
	 * A seed is an integer of [0, 2^64), a string that is not empty, or 16 bytes or more. They never give the same stream: 1 and
	 * "1" are two. The engine is "chacha8" if it is left out.
	 */
	constructor(seed: number | bigint | string | ArrayBufferView | ArrayBuffer, options?: { engine?: Engine });
	/** The keystream of an engine; the nonce is zero if it is left out. */
	static fromKey(key: ArrayBufferView | ArrayBuffer, options?: { engine?: Engine; nonce?: ArrayBufferView | ArrayBuffer }): Stream;
	/** Continue from a checkpoint. */
	static fromCheckpoint(checkpoint: ArrayBufferView | ArrayBuffer): Stream;
	/** 128 bytes that every language reads; as secret as the key. */
	checkpoint(): Bytes;
	/** Throws: a stream has no JSON, and cannot be cloned or sent, but its checkpoint can. */
	toJSON(): never;
	/** Another stream that would give the same numbers. */
	clone(): Stream;
	/** Child number index, independent of this stream, of its offset, and of its other children. */
	child(index: number | bigint): Stream;
	/** Erase it; later calls throw. */
	wipe(): void;

	/** The offset in bytes of the next byte. */
	get offset(): bigint;
	/** Set the offset, in constant time. */
	seek(offset: number | bigint): this;
	/** Move the offset by this many bytes, backwards too, in constant time. */
	advance(bytes: number | bigint): this;

	randomBytes(size: number): Bytes;
	randomFillSync<T extends Fillable>(buffer: T, offset?: number, size?: number): T;
	uint8(): number;
	uint16(): number;
	uint32(): number;
	uint64(): bigint;
	boolean(): boolean;
	/** A multiple of 2^-24 in [0, 1), of 4 bytes. */
	float(): number;
	/** A multiple of 2^-53 in [0, 1), of 8 bytes. */
	random(): number;
	randomInt(max: number): number;
	randomInt(min: number, max: number): number;
	randomBigInt(max: bigint): bigint;
	randomBigInt(min: bigint, max: bigint): bigint;
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
