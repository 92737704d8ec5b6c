// Apache Kafka: one broker that is its own controller.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { jars, requireJava } from './jars.mjs'
import { launch, portOpen } from './processes.mjs'
import { jarsFolder, kafkaTlsPort, ports, stateFolder, tlsFiles } from './settings.mjs'

const keystore = join(stateFolder, 'tls', 'keystore.pem')

const properties = () => `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${ports.kafkaController}
listeners=PLAINTEXT://127.0.0.1:${ports.kafka},SASL_SSL://localhost:${kafkaTlsPort},CONTROLLER://127.0.0.1:${ports.kafkaController}
advertised.listeners=PLAINTEXT://127.0.0.1:${ports.kafka},SASL_SSL://localhost:${kafkaTlsPort}
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,SASL_SSL:SASL_SSL
ssl.keystore.type=PEM
ssl.keystore.location=${keystore}
sasl.enabled.mechanisms=PLAIN
listener.name.sasl_ssl.plain.sasl.jaas.config=org.apache.kafka.common.security.plain.PlainLoginModule required user_tidemark="tidemark";
log.dirs=${stateFolder}/kafka
num.partitions=1
auto.create.topics.enable=false
delete.topic.enable=true
offsets.topic.replication.factor=1
offsets.topic.num.partitions=4
transaction.state.log.replication.factor=1
transaction.state.log.min.isr=1
transaction.state.log.num.partitions=4
group.initial.rebalance.delay.ms=0
group.min.session.timeout.ms=1000
`

export const kafka = {
  launch() {
    requireJava()
    const classPath = jars('kafka')
    mkdirSync(stateFolder, { recursive: true })
    if (!existsSync(keystore)) makeCertificate()
    const file = join(stateFolder, 'kafka.properties')
    writeFileSync(file, properties())
    if (!existsSync(join(stateFolder, 'kafka', 'meta.properties'))) format(classPath, file)
    const java = ['java', '-Xms512m', '-Xmx512m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn']
    launch('kafka', [...java, `-Djava.io.tmpdir=${stateFolder}/tmp`, '-cp', classPath, 'kafka.Kafka', file])
  },
  answers: () => portOpen(ports.kafka),
}

/** KRaft requires that the folder is formatted with a cluster id before the first start. */
function format(classPath, file) {
  const tool = ['-cp', classPath, 'kafka.tools.StorageTool']
  const result = spawnSync('java', [...tool, 'format', '-t', 'dGlkZW1hcmstdGVzdHMtMQ', '-c', file], {
    encoding: 'utf8',
  })
  if (result.status !== 0) throw new Error(`Kafka's folder could not be formatted (${jarsFolder}): ${result.stderr}`)
}

function makeCertificate() {
  const { certificate, key } = tlsFiles
  mkdirSync(dirname(key), { recursive: true })
  const names = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1']
  const files = ['-keyout', key, '-out', certificate]
  const make = () =>
    spawnSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '3650', ...names, ...files], {
      encoding: 'utf8',
    })
  const made = make()
  if (made.error !== undefined) throw new Error('openssl is not here: on Debian `apt-get install openssl`.')
  if (made.status !== 0) throw new Error(`openssl made no certificate: ${made.error?.message ?? made.stderr}`)
  writeFileSync(keystore, readFileSync(key, 'utf8') + readFileSync(certificate, 'utf8'))
}
