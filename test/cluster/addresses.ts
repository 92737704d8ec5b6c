/** Where the cluster under test is; `npm run cluster -- status` prints it. */
export const addresses = {
  kafkaBrokers: process.env['TIDEMARK_TEST_KAFKA'] ?? '127.0.0.1:9092',
  kafkaTls: process.env['TIDEMARK_TEST_KAFKA_TLS'] ?? 'localhost:9094',
  druidBroker: process.env['TIDEMARK_TEST_DRUID_BROKER'] ?? 'http://127.0.0.1:8082',
  postgresUrl: process.env['TIDEMARK_TEST_POSTGRES'] ?? 'postgres://tidemark:tidemark@127.0.0.1:15432/tidemark',
  druidOverlord: process.env['TIDEMARK_TEST_DRUID_OVERLORD'] ?? 'http://127.0.0.1:8081',
}

/** Of the servers of the cluster under test: a certificate that is its own authority, for localhost, and its key. */
export const certificateFiles = {
  certificate: process.env['TIDEMARK_TEST_CERTIFICATE'] ?? '',
  key: process.env['TIDEMARK_TEST_CERTIFICATE_KEY'] ?? '',
}
