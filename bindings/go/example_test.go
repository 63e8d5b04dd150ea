// SPDX-License-Identifier: BSD-2-Clause

package cprng_test

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"time"

	cprng "github.com/cprng/cprng/bindings/go"
)

func dice(seed uint64) *cprng.Stream {
	stream, err := cprng.NewStream("", seed)
	if err != nil {
		panic(err)
	}
	return stream
}

func ExampleRead() {
	key := make([]byte, 32)
	n, err := cprng.Read(key)
	fmt.Println(n, err)
	// Output: 32 <nil>
}

func ExampleN() {
	wait := cprng.N(100 * time.Millisecond)
	fmt.Println(wait < 100*time.Millisecond)
	// Output: true
}

func ExampleSource() {
	die := 1 + rand.New(cprng.NewSource()).IntN(6)
	fmt.Println(1 <= die && die <= 6)
	// Output: true
}

func ExampleShuffle() {
	cards := []string{"ace", "king", "queen"}
	cprng.Shuffle(len(cards), func(i, j int) { cards[i], cards[j] = cards[j], cards[i] })
	fmt.Println(len(cards))
	// Output: 3
}

func ExampleStream() {
	stream := dice(42)
	fmt.Println(stream.Int64Range(1, 6), stream.Perm(5))
	fmt.Printf("%.2f cm\n", stream.Normal(170, 10))
	// Output:
	// 6 [1 2 0 4 3]
	// 156.78 cm
}

func ExampleStream_Child() {
	worker, err := dice(42).Child(7)
	fmt.Println(worker.Uint64N(1000), err)
	// Output: 499 <nil>
}

func ExampleStream_MarshalText() {
	stream := dice(42)
	saved, _ := json.Marshal(stream)
	var restored cprng.Stream
	err := json.Unmarshal(saved, &restored)
	fmt.Println(restored.Uint64() == stream.Uint64(), stream, err)
	// Output: true cprng.Stream(chacha8 at 8) <nil>
}

func ExampleStream_Weighted() {
	stream := dice(42)
	weights, _ := cprng.NewWeights([]uint64{70, 25, 5})
	colour := []string{"red", "green", "blue"}[stream.Weighted(weights)]
	id, _ := stream.TextOf(21, "0123456789abcdefghjkmnpqrstvwxyz")
	uuid, _ := stream.UUID7(1700000000000)
	fmt.Println(colour, id, uuid)
	// Output: red 0cfmv8qvbx721x1fcy9qn 018bcfe5-6800-70cf-97aa-ce704ab1e110
}
