// A Collector with one pipeline: OTLP profiles in over HTTP, OTLP out over HTTP to AGENT_SERVER.
//
// The first argument is the encoding that it sends, proto or json. It runs the command of the other
// arguments with the address of its receiver as AGENT_SERVER, and shuts down after it, which sends
// what its queue still holds.
package main

import (
	"context"
	"errors"
	"fmt"
	"log"
	"net"
	"os"
	"os/exec"
	"time"

	"go.opentelemetry.io/collector/component"
	"go.opentelemetry.io/collector/confmap"
	"go.opentelemetry.io/collector/confmap/provider/yamlprovider"
	"go.opentelemetry.io/collector/exporter"
	"go.opentelemetry.io/collector/exporter/otlphttpexporter"
	"go.opentelemetry.io/collector/featuregate"
	"go.opentelemetry.io/collector/otelcol"
	"go.opentelemetry.io/collector/receiver"
	"go.opentelemetry.io/collector/receiver/otlpreceiver"
	"go.opentelemetry.io/collector/service/telemetry/otelconftelemetry"
)

const config = `yaml:
receivers:
  otlp: {protocols: {http: {endpoint: %q}}}
exporters:
  otlp_http:
    profiles_endpoint: %q
    encoding: %q
    headers: {Authorization: %q}
service:
  telemetry: {metrics: {level: none}}
  pipelines:
    profiles: {receivers: [otlp], exporters: [otlp_http]}
`

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		log.Fatal(err)
	}
}

func run(encoding string, command []string) error {
	if err := featuregate.GlobalRegistry().Set("service.profilesSupport", true); err != nil {
		return err
	}
	address, err := freeAddress()
	if err != nil {
		return err
	}
	collector, err := newCollector(fmt.Sprintf(config, address,
		os.Getenv("AGENT_SERVER")+"/v1development/profiles", encoding, "Bearer "+os.Getenv("AGENT_TOKEN")))
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- collector.Run(context.Background()) }()
	for collector.GetState() != otelcol.StateRunning {
		select {
		case err := <-ended:
			return fmt.Errorf("the collector ended before it ran: %w", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
	sender := exec.Command(command[0], command[1:]...)
	sender.Env = append(os.Environ(), "AGENT_SERVER=http://"+address)
	output, sent := sender.CombinedOutput()
	log.Printf("%s", output)
	collector.Shutdown()
	return errors.Join(sent, <-ended)
}

func newCollector(config string) (*otelcol.Collector, error) {
	return otelcol.NewCollector(otelcol.CollectorSettings{
		BuildInfo: component.BuildInfo{Command: "collector", Description: "OTLP to OTLP", Version: "0"},
		Factories: factories,
		ConfigProviderSettings: otelcol.ConfigProviderSettings{
			ResolverSettings: confmap.ResolverSettings{
				URIs:              []string{config},
				ProviderFactories: []confmap.ProviderFactory{yamlprovider.NewFactory()},
			},
		},
	})
}

func factories() (otelcol.Factories, error) {
	receivers, err := otelcol.MakeFactoryMap[receiver.Factory](otlpreceiver.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	exporters, err := otelcol.MakeFactoryMap[exporter.Factory](otlphttpexporter.NewFactory())
	if err != nil {
		return otelcol.Factories{}, err
	}
	return otelcol.Factories{
		Receivers: receivers,
		Exporters: exporters,
		Telemetry: otelconftelemetry.NewFactory(),
	}, nil
}

// freeAddress returns an address of this machine that nothing listens on.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}
