// fetch - "fetch URL": the same with Go's own resolver and dialer, which ask for both
// families at once, each from a socket of its own, and try one beside the other.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"time"
)

func main() {
	names := &net.Resolver{PreferGo: true}
	dialer := &net.Dialer{Timeout: 20 * time.Second, Resolver: names}
	client := http.Client{Timeout: 40 * time.Second, Transport: &http.Transport{
		DialContext: func(c context.Context, network, addr string) (net.Conn, error) {
			return dialer.DialContext(c, network, addr)
		}}}
	r, err := client.Get(os.Args[1])
	var none *net.DNSError
	if errors.As(err, &none) && none.IsNotFound {
		fmt.Println("lookup:", none.Err)
		os.Exit(6)
	}
	if err != nil {
		fmt.Println(err)
		os.Exit(7)
	}
	io.Copy(os.Stdout, r.Body)
}
