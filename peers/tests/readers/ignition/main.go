// Judges Ignition documents, one on each line of standard input, with the code that a machine would use.
package main

import (
	"bufio"
	"fmt"
	"log"
	"os"
	"strings"

	"github.com/coreos/ignition/v2/config/v3_4"
)

const longest = 1 << 20

func main() {
	documents := bufio.NewScanner(os.Stdin)
	documents.Buffer(nil, longest)
	for documents.Scan() {
		_, report, err := v3_4.Parse(documents.Bytes())
		switch {
		case err != nil:
			fmt.Println("refused:", err, strings.ReplaceAll(report.String(), "\n", " "))
		case len(report.Entries) > 0:
			fmt.Println("remarks:", strings.ReplaceAll(report.String(), "\n", " "))
		default:
			fmt.Println("accepted")
		}
	}
	if err := documents.Err(); err != nil {
		log.Fatal(err)
	}
}
