// Prints why Go refuses each of the regular expressions in the JSON list on stdin.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
)

func main() {
	var patterns []string
	if err := json.NewDecoder(os.Stdin).Decode(&patterns); err != nil {
		panic(err)
	}
	for _, pattern := range patterns {
		if _, err := regexp.Compile(pattern); err != nil {
			fmt.Println(err)
		}
	}
}
