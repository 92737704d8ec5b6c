import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { loadSettings } from '../../config/load.ts'
import { supervisionSettings } from './cluster-connections.ts'

/** Any file will do. */
const caFile = import.meta.filename

const jaas = (module: string) =>
  `org.apache.kafka.common.security.${module} required username="druid" password="a\\"b\\\\c";`
const login = { 'kafka.user': 'druid', 'kafka.password': 'a"b\\c' }
const trusted = { 'ssl.truststore.type': 'PEM', 'ssl.truststore.certificates': readFileSync(caFile, 'utf8') }
const scram = { 'sasl.mechanism': 'SCRAM-SHA-512', 'sasl.jaas.config': jaas('scram.ScramLoginModule') }

test.each<[string, Record<string, string>, Record<string, string>]>([
  ['no security', {}, {}],
  ['TLS', { 'kafka.tls': 'true' }, { 'security.protocol': 'SSL' }],
  ['TLS with a CA file', { 'kafka.tls': 'true', 'kafka.caFile': caFile }, { 'security.protocol': 'SSL', ...trusted }],
  ['a SCRAM login', login, { 'security.protocol': 'SASL_PLAINTEXT', ...scram }],
  [
    'TLS with a CA file and a SCRAM login',
    { ...login, 'kafka.tls': 'true', 'kafka.caFile': caFile },
    { 'security.protocol': 'SASL_SSL', ...trusted, ...scram },
  ],
  [
    'TLS and a PLAIN login',
    { ...login, 'kafka.tls': 'true', 'kafka.mechanism': 'PLAIN' },
    {
      'security.protocol': 'SASL_SSL',
      'sasl.mechanism': 'PLAIN',
      'sasl.jaas.config': jaas('plain.PlainLoginModule'),
    },
  ],
])('Druid connects to Kafka with the settings of Tidemark: %s', (_, flags, expected) => {
  const parts = {
    'kafka.brokers': 'k:9092',
    'druid.router': 'http://druid:8888',
    'postgres.url': 'postgres://u:p@h/d',
    engine: 'cluster',
  }
  const environment = Object.fromEntries(
    Object.entries({ ...parts, ...flags }).map(([name, value]) => [
      `TIDEMARK_${name.replace(/[A-Z]/g, '_$&').replaceAll('.', '_').toUpperCase()}`,
      value,
    ]),
  )
  const settings = loadSettings({ flags: {}, environment, file: null })
  expect(supervisionSettings(settings).consumerProperties).toEqual({ 'bootstrap.servers': 'k:9092', ...expected })
})
