/** Where the cluster under test is; `npm run cluster -- status` prints it. */
export const addresses = {
  kafkaBrokers: process.env['TIDEMARK_TEST_KAFKA'] ?? '127.0.0.1:9092',
  druidBroker: process.env['TIDEMARK_TEST_DRUID_BROKER'] ?? 'http://127.0.0.1:8082',
  postgresUrl: process.env['TIDEMARK_TEST_POSTGRES'] ?? 'postgres://tidemark:tidemark@127.0.0.1:15432/tidemark',
  druidOverlord: process.env['TIDEMARK_TEST_DRUID_OVERLORD'] ?? 'http://127.0.0.1:8081',
}
