// Apache Druid: ZooKeeper, the coordinator (which includes the overlord and Derby), a broker, a historical and an indexer.
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { jars, requireJava } from './jars.mjs'
import { answersOk, launch, portOpen, runningPid } from './processes.mjs'
import { here, ports, stateFolder } from './settings.mjs'

const local = (port, path) => `http://127.0.0.1:${port}${path}`

/** Settings of all Druid processes. */
const common = () => ({
  host: 'localhost',
  'extensions.loadList': '[]',
  'startup.logging.logProperties': 'false',
  'zk.service.host': `127.0.0.1:${ports.zookeeper}`,
  'zk.service.sessionTimeoutMs': '10000',
  'zk.paths.base': '/druid',
  'metadata.storage.type': 'derby',
  'metadata.storage.connector.host': 'localhost',
  'metadata.storage.connector.port': String(ports.derby),
  'metadata.storage.connector.connectURI': `jdbc:derby://localhost:${ports.derby}/${stateFolder}/derby;create=true`,
  'storage.type': 'local',
  'storage.storageDirectory': `${stateFolder}/segments`,
  'indexer.logs.type': 'file',
  'indexer.logs.directory': `${stateFolder}/task-logs`,
  'indexer.task.baseDir': `${stateFolder}/tasks`,
  'selectors.indexing.serviceName': 'druid/overlord',
  'selectors.coordinator.serviceName': 'druid/coordinator',
  'monitoring.monitors': '[]',
  emitter: 'noop',
  'indexing.doubleStorage': 'double',
  'lookup.enableLookupSyncOnStartup': 'false',
  // How often tasks check whether others serve their published segments, and the coordinator for deleted segments: every minute by default.
  'segment.handoff.pollDuration': 'PT2S',
  'manager.segments.pollDuration': 'PT5S',
  'server.http.numThreads': '30',
  'processing.numMergeBuffers': '4',
})

const coordinator = {
  'coordinator.startDelay': 'PT5S',
  'coordinator.period': 'PT5S',
  'coordinator.asOverlord.enabled': 'true',
  'coordinator.asOverlord.overlordService': 'druid/overlord',
  'indexer.queue.startDelay': 'PT1S',
  'indexer.runner.type': 'httpRemote',
  // Tasks of a killed indexer are abandoned and started again: after 5 and 15 minutes by default.
  'indexer.runner.taskAssignmentTimeout': 'PT20S',
  'indexer.runner.taskCleanupTimeout': 'PT20S',
  'indexer.storage.type': 'metadata',
}
const broker = {
  'broker.http.numConnections': '20',
  'broker.http.maxQueuedBytes': '10MiB',
  'processing.buffer.sizeBytes': '40MiB',
  'processing.numThreads': '1',
  'broker.cache.useCache': 'false',
  'broker.cache.populateCache': 'false',
  'sql.enable': 'true',
  'sql.planner.metadataRefreshPeriod': 'PT5S',
  'query.groupBy.maxMergingDictionarySize': '50000000',
}
const historical = {
  // A separate folder: an indexer that starts with these files announces them as served, and then fails every query of them.
  'segmentCache.locations': `[{"path":"${stateFolder}/segment-cache","maxSize":"20g"}]`,
  'processing.buffer.sizeBytes': '40MiB',
  'processing.numThreads': '2',
  'historical.cache.useCache': 'false',
  'historical.cache.populateCache': 'false',
}
// One task for each entity of a test, plus those that hand over. The memory for rows is divided among the maximum number of tasks.
const indexer = {
  'worker.capacity': '24',
  'worker.globalIngestionHeapLimitBytes': '400000000',
  'processing.buffer.sizeBytes': '25MiB',
  'processing.numThreads': '2',
}

const opened = [
  ...['java.base/jdk.internal.misc', 'java.base/jdk.internal.ref'].map((name) => `--add-exports=${name}=ALL-UNNAMED`),
  ...['java.nio', 'sun.nio.ch', 'jdk.internal.ref', 'java.io', 'java.lang'].map(
    (name) => `--add-opens=java.base/${name}=ALL-UNNAMED`,
  ),
  '--add-opens=jdk.management/com.sun.management.internal=ALL-UNNAMED',
]

function druidPart(name, memory, settings, answers) {
  return {
    launch() {
      requireJava()
      const classPath = [join(here, 'druid'), jars('druid')].join(':')
      const all = { ...common(), service: `druid/${name}`, plaintextPort: String(ports[name]), ...settings }
      const properties = { ...all, 'processing.tmpDir': `${stateFolder}/tmp/${name}` }
      const java = [...opened, ...memory, '-XX:+ExitOnOutOfMemoryError', '-Duser.timezone=UTC', '-Dfile.encoding=UTF-8']
      const stated = Object.entries(properties).map(([key, value]) => `-Ddruid.${key}=${value}`)
      const main = ['-cp', classPath, 'org.apache.druid.cli.Main', 'server', name]
      launch(name, ['java', ...java, `-Djava.io.tmpdir=${stateFolder}/tmp`, ...stated, ...main])
    },
    answers,
  }
}

const ready = (name, path) => () => answersOk(local(ports[name], path))

export const druidParts = {
  zookeeper: {
    launch() {
      requireJava()
      const classPath = [join(here, 'druid'), jars('druid')].join(':')
      const data = join(stateFolder, 'zookeeper')
      mkdirSync(data, { recursive: true })
      const file = join(stateFolder, 'zookeeper.cfg')
      const address = `clientPort=${ports.zookeeper}\nclientPortAddress=127.0.0.1\nadmin.enableServer=false\n`
      writeFileSync(file, `tickTime=1000\ndataDir=${data}\nautopurge.purgeInterval=1\n${address}`)
      const main = 'org.apache.zookeeper.server.quorum.QuorumPeerMain'
      launch('zookeeper', ['java', '-Xmx128m', '-cp', classPath, main, file])
    },
    answers: () => portOpen(ports.zookeeper),
  },
  coordinator: druidPart(
    'coordinator',
    ['-Xms384m', '-Xmx384m'],
    coordinator,
    ready('coordinator', '/druid/indexer/v1/isLeader'),
  ),
  broker: druidPart(
    'broker',
    ['-Xms512m', '-Xmx1g', '-XX:MaxDirectMemorySize=500m'],
    broker,
    ready('broker', '/druid/broker/v1/readiness'),
  ),
  historical: druidPart(
    'historical',
    ['-Xms512m', '-Xmx1536m', '-XX:MaxDirectMemorySize=500m'],
    historical,
    ready('historical', '/druid/historical/v1/readiness'),
  ),
  indexer: druidPart(
    'indexer',
    ['-Xms1g', '-Xmx1g', '-XX:MaxDirectMemorySize=700m'],
    indexer,
    // The indexer works once the overlord knows it, which can be checked only while the overlord runs.
    async () => {
      if (!(await answersOk(local(ports.indexer, '/status/health')))) return false
      if (runningPid('coordinator') === null) return true
      const workers = await (await fetch(local(ports.coordinator, '/druid/indexer/v1/workers'))).json()
      return Array.isArray(workers) && workers.length > 0
    },
  ),
}
