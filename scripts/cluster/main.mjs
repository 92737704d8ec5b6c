// A real Kafka, Druid and PostgreSQL on this machine, on its loopback address, to test against.
import { rmSync } from 'node:fs'
import { druidParts } from './druid.mjs'
import { jars, requireJava } from './jars.mjs'
import { kafka } from './kafka.mjs'
import { postgres, requireServer } from './postgres.mjs'
import { end, runningPid, waitUntil, waitUntilFree } from './processes.mjs'
import { addresses, jarsFolder, ports, stateFolder } from './settings.mjs'

const usage = `npm run cluster -- <what> [part...]

  fetch      download what all of it needs, and start nothing
  start      start what is named, or all, and wait until it answers
  stop       stop it in good order
  kill       SIGKILL
  wipe       stop all and delete the data
  status     say what runs, and where; the exit code is 0 when all that is named runs and answers
  addresses  where it is, as JSON

Parts: postgres, kafka, and druid, or one process of it: ${Object.keys(druidParts).join(', ')}.
Needs Java 17 or 21, Maven, openssl and PostgreSQL.
TIDEMARK_CLUSTER_STATE is the folder of data, logs and process ids (${stateFolder}), TIDEMARK_CLUSTER_JARS that of the
downloaded jars (${jarsFolder}), TIDEMARK_CLUSTER_<PART>_PORT a port.`

// In the order of their start.
const parts = { postgres, kafka, ...druidParts }
const groups = { all: Object.keys(parts), druid: Object.keys(druidParts) }

function named(names) {
  const asked = new Set((names.length === 0 ? ['all'] : names).flatMap((name) => groups[name] ?? [name]))
  const unknown = [...asked].find((name) => !(name in parts))
  if (unknown !== undefined) throw new Error(`There is no part ${unknown}.\n\n${usage}`)
  return Object.keys(parts).filter((name) => asked.has(name))
}

async function start(names) {
  const waiting = []
  for (const name of names) {
    if (runningPid(name) === null) {
      await waitUntilFree(name, ports[name])
      await parts[name].launch()
    }
    const answered = waitUntil(name, parts[name].answers)
    // The others look for these two during their start.
    if (name === 'zookeeper' || name === 'coordinator') await answered
    else waiting.push(answered)
  }
  await Promise.all(waiting)
}

async function status(names) {
  const found = await Promise.all(
    names.map(async (name) => {
      const pid = runningPid(name)
      const answers = pid !== null && (await parts[name].answers().catch(() => false))
      console.log(
        `${name.padEnd(12)} ${pid === null ? 'is not running' : `${answers ? 'answers' : 'runs'}, process ${pid}`}`,
      )
      return answers
    }),
  )
  console.log(
    Object.entries(addresses)
      .map(([name, address]) => `${name}=${address}`)
      .join('\n'),
  )
  process.exitCode = found.every(Boolean) ? 0 : 1
}

async function stop(names, signalName) {
  for (const name of names.toReversed()) {
    // With SIGINT, PostgreSQL stops without waiting for its clients.
    await end(name, signalName ?? (name === 'postgres' ? 'SIGINT' : 'SIGTERM'))
  }
}

const [what, ...names] = process.argv.slice(2)
try {
  if (what === 'fetch') {
    requireJava()
    for (const name of ['kafka', 'druid']) jars(name)
    requireServer()
  } else if (what === 'start') await start(named(names))
  else if (what === 'stop') await stop(named(names))
  else if (what === 'kill') await stop(named(names), 'SIGKILL')
  else if (what === 'status') await status(named(names))
  else if (what === 'addresses') console.log(JSON.stringify(addresses))
  else if (what === 'wipe') {
    await stop(named([]))
    rmSync(stateFolder, { recursive: true, force: true })
  } else {
    console.log(usage)
    process.exitCode = 2
  }
} catch (error) {
  console.error(error.message)
  process.exitCode = 1
}
