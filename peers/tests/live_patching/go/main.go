// A live-patching service made of grpc-go: prints its address and its CA, and serves until its input ends.
// What it does with a call is what the component's name says.
package main

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"io"
	"math/big"
	"net"
	"os"
	"strconv"
	"strings"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/credentials"
	"google.golang.org/grpc/metadata"
	"google.golang.org/grpc/peer"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protowire"
)

// bytesCodec hands messages over as they are on the wire.
type bytesCodec struct{}

func (bytesCodec) Name() string                       { return "proto" }
func (bytesCodec) Marshal(v any) ([]byte, error)      { return *v.(*[]byte), nil }
func (bytesCodec) Unmarshal(data []byte, v any) error { *v.(*[]byte) = append([]byte{}, data...); return nil }

func answer(ctx context.Context, component string) (string, error) {
	if number, ok := strings.CutPrefix(component, "status "); ok {
		code, err := strconv.Atoi(number)
		check(err)
		return "", status.Error(codes.Code(code), "100% näh\n")
	}
	switch component {
	case "large":
		return strings.Repeat("x", 1<<20), nil
	case "slow":
		<-ctx.Done()
		return "", ctx.Err()
	}
	fields, _ := metadata.FromIncomingContext(ctx)
	caller, _ := peer.FromContext(ctx)
	state := caller.AuthInfo.(credentials.TLSInfo).State
	return fmt.Sprintf("%s %s %v %v", state.ServerName, state.NegotiatedProtocol, fields[":authority"], fields["authorization"]), nil
}

func handle(_ any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	var request []byte
	if err := decode(&request); err != nil {
		return nil, err
	}
	number, kind, length := protowire.ConsumeTag(request)
	if number != 1 || kind != protowire.BytesType {
		return nil, status.Error(codes.Internal, "the request is not the message")
	}
	component, _ := protowire.ConsumeString(request[length:])
	config, err := answer(ctx, component)
	if err != nil {
		return nil, err
	}
	response := protowire.AppendString(protowire.AppendTag(nil, 1, protowire.BytesType), component)
	response = protowire.AppendString(protowire.AppendTag(response, 2, protowire.BytesType), config)
	return &response, nil
}

func certificate(template, parent *x509.Certificate, signer *ecdsa.PrivateKey) ([]byte, *ecdsa.PrivateKey) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	check(err)
	if signer == nil {
		signer = key
	}
	template.NotBefore, template.NotAfter = time.Now().Add(-time.Hour), time.Now().Add(time.Hour)
	der, err := x509.CreateCertificate(rand.Reader, template, parent, &key.PublicKey, signer)
	check(err)
	return der, key
}

func main() {
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "ca"}, IsCA: true,
		BasicConstraintsValid: true, KeyUsage: x509.KeyUsageCertSign}
	caDER, caKey := certificate(ca, ca, nil)
	leaf := &x509.Certificate{SerialNumber: big.NewInt(2), DNSNames: []string{"aks-security-patch.data.mcr.microsoft.com"},
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth}}
	leafDER, leafKey := certificate(leaf, ca, caKey)
	config := &tls.Config{Certificates: []tls.Certificate{{Certificate: [][]byte{leafDER}, PrivateKey: leafKey}},
		NextProtos: os.Args[1:]}
	server := grpc.NewServer(grpc.Creds(credentials.NewTLS(config)), grpc.ForceServerCodec(bytesCodec{}))
	server.RegisterService(&grpc.ServiceDesc{ServiceName: "akslivepatching.v1.LivePatchingService", HandlerType: (*any)(nil),
		Methods: []grpc.MethodDesc{{MethodName: "GetComponentConfig", Handler: handle}}}, struct{}{})
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	check(err)
	fmt.Println(listener.Addr())
	check(pem.Encode(os.Stdout, &pem.Block{Type: "CERTIFICATE", Bytes: caDER}))
	go server.Serve(listener)
	io.Copy(io.Discard, os.Stdin)
}

func check(err error) {
	if err != nil {
		panic(err)
	}
}
