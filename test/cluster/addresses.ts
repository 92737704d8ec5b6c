/** The addresses of the cluster under test; `npm run cluster -- status` prints them. */
export const addresses = {
  kafkaBrokers: process.env['TIDEMARK_TEST_KAFKA'] ?? '127.0.0.1:9092',
  kafkaTls: process.env['TIDEMARK_TEST_KAFKA_TLS'] ?? 'localhost:9094',
  druidBroker: process.env['TIDEMARK_TEST_DRUID_BROKER'] ?? 'http://127.0.0.1:8082',
  postgresUrl: process.env['TIDEMARK_TEST_POSTGRES'] ?? 'postgres://tidemark:tidemark@127.0.0.1:15432/tidemark',
  druidOverlord: process.env['TIDEMARK_TEST_DRUID_OVERLORD'] ?? 'http://127.0.0.1:8081',
}

/** The certificate of the servers under test, self-signed for localhost, and its key. */
export const certificateFiles = {
  certificate: process.env['TIDEMARK_TEST_CERTIFICATE'] ?? '',
  key: process.env['TIDEMARK_TEST_CERTIFICATE_KEY'] ?? '',
}
