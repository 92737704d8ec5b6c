// Apache Kafka: one broker that is its own controller.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jars, requireJava } from './jars.mjs'
import { launch, portOpen } from './processes.mjs'
import { jarsFolder, ports, stateFolder } from './settings.mjs'

const properties = () => `process.roles=broker,controller
node.id=1
controller.quorum.voters=1@127.0.0.1:${ports.kafkaController}
listeners=PLAINTEXT://127.0.0.1:${ports.kafka},CONTROLLER://127.0.0.1:${ports.kafkaController}
advertised.listeners=PLAINTEXT://127.0.0.1:${ports.kafka}
inter.broker.listener.name=PLAINTEXT
controller.listener.names=CONTROLLER
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT
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
    const file = join(stateFolder, 'kafka.properties')
    writeFileSync(file, properties())
    if (!existsSync(join(stateFolder, 'kafka', 'meta.properties'))) format(classPath, file)
    const java = ['java', '-Xms512m', '-Xmx512m', '-Dorg.slf4j.simpleLogger.defaultLogLevel=warn']
    launch('kafka', [...java, `-Djava.io.tmpdir=${stateFolder}/tmp`, '-cp', classPath, 'kafka.Kafka', file])
  },
  answers: () => portOpen(ports.kafka),
}

/** KRaft wants the folder marked with a cluster id before the first start. */
function format(classPath, file) {
  const tool = ['-cp', classPath, 'kafka.tools.StorageTool']
  const result = spawnSync('java', [...tool, 'format', '-t', 'dGlkZW1hcmstdGVzdHMtMQ', '-c', file], {
    encoding: 'utf8',
  })
  if (result.status !== 0) throw new Error(`Kafka's folder could not be formatted (${jarsFolder}): ${result.stderr}`)
}
