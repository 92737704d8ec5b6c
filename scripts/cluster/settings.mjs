// The folders and ports of the cluster under test; environment variables override each of them.
import { homedir, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const env = process.env

/** A TCP port: `TIDEMARK_CLUSTER_KAFKA_PORT=19092` moves Kafka. */
function port(name, byDefault) {
  const text = env[`TIDEMARK_CLUSTER_${name.toUpperCase()}_PORT`] ?? String(byDefault)
  const value = Number(text)
  if (!Number.isInteger(value) || value < 1 || value > 65_535) {
    throw new Error(`TIDEMARK_CLUSTER_${name.toUpperCase()}_PORT is ${text}: give a port from 1 to 65535.`)
  }
  return value
}

export const here = dirname(fileURLToPath(import.meta.url))
/** Kept between runs: the downloaded jars. */
export const jarsFolder = env.TIDEMARK_CLUSTER_JARS ?? join(homedir(), '.cache', 'tidemark-cluster')
/** Data, logs and process ids; deleted by `wipe`. PostgreSQL's user needs access to it. */
export const stateFolder = env.TIDEMARK_CLUSTER_STATE ?? join(tmpdir(), 'tidemark-cluster')

export const ports = {
  kafka: port('kafka', 9092),
  kafkaController: port('kafka_controller', 9093),
  zookeeper: port('zookeeper', 2181),
  derby: port('derby', 1527),
  coordinator: port('coordinator', 8081),
  broker: port('broker', 8082),
  historical: port('historical', 8083),
  indexer: port('indexer', 8091),
  postgres: port('postgres', 15432),
}

/** A self-signed certificate for localhost, and its key. */
export const tlsFiles = {
  certificate: join(stateFolder, 'tls', 'certificate.pem'),
  key: join(stateFolder, 'tls', 'key.pem'),
}
/** A second port of Kafka, with TLS and the user `tidemark`, whose password is `tidemark`. */
export const kafkaTlsPort = ports.kafka + 2

/** The addresses of the parts, for the tests. */
export const addresses = {
  TIDEMARK_TEST_KAFKA: `127.0.0.1:${ports.kafka}`,
  TIDEMARK_TEST_KAFKA_TLS: `localhost:${kafkaTlsPort}`,
  TIDEMARK_TEST_CERTIFICATE: tlsFiles.certificate,
  TIDEMARK_TEST_CERTIFICATE_KEY: tlsFiles.key,
  TIDEMARK_TEST_DRUID_BROKER: `http://127.0.0.1:${ports.broker}`,
  TIDEMARK_TEST_DRUID_OVERLORD: `http://127.0.0.1:${ports.coordinator}`,
  TIDEMARK_TEST_POSTGRES: `postgres://tidemark:tidemark@127.0.0.1:${ports.postgres}/tidemark`,
}
