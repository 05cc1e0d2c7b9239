// Prints the values that go-ini reads from each of the files, as Grafana calls it (pkg/setting),
// as a line of JSON.
package main

import (
	"encoding/json"
	"fmt"
	"os"

	"gopkg.in/ini.v1"
)

func main() {
	for _, name := range os.Args[1:] {
		file, err := ini.Load(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		sections := map[string]map[string]string{}
		for _, section := range file.Sections() {
			sections[section.Name()] = section.KeysHash()
		}
		text, _ := json.Marshal(sections)
		fmt.Println(string(text))
	}
}
