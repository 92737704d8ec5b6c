// The processes of the cluster. Each runs in the background in a separate group, with its id in `pid/<part>` and its output in `log/<part>`.
import { spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { stateFolder } from './settings.mjs'

const pidFile = (part) => join(stateFolder, 'pid', part)
const logFile = (part) => join(stateFolder, 'log', part)

/** The process id of a running part, or null. An id that now belongs to another program does not count. */
export function runningPid(part) {
  if (!existsSync(pidFile(part))) return null
  const pid = Number(readFileSync(pidFile(part), 'utf8'))
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(stateFolder) ? pid : null
  } catch {
    return null
  }
}

/** Starts a part; it outlives this program. */
export function launch(part, [command, ...commandArguments]) {
  for (const folder of ['pid', 'log', 'tmp']) mkdirSync(join(stateFolder, folder), { recursive: true })
  const log = openSync(logFile(part), 'a')
  const child = spawn(command, commandArguments, { cwd: stateFolder, detached: true, stdio: ['ignore', log, log] })
  writeFileSync(pidFile(part), String(child.pid))
  child.unref()
}

/** Waits until a part responds; throws an Error with the end of its log if it has ended or the timeout has passed. */
export async function waitUntil(part, answers, timeoutMs = 180_000) {
  const deadline = Date.now() + timeoutMs
  while (!(await answers().catch(() => false))) {
    const why = runningPid(part) === null ? 'ended' : Date.now() > deadline ? 'does not answer' : null
    if (why !== null) {
      const lines = readFileSync(logFile(part), 'utf8').split('\n').slice(-20)
      throw new Error(`${part} ${why}; the end of ${logFile(part)}:\n${lines.join('\n')}`)
    }
    await sleep(250)
  }
}

/** Waits until no process has the folder as its working directory. */
export async function waitUntilLeft(folder) {
  const isInside = (entry) => {
    try {
      return /^\d+$/.test(entry) && readlinkSync(`/proc/${entry}/cwd`) === folder
    } catch {
      return false
    }
  }
  while (readdirSync('/proc').some(isInside)) await sleep(50)
}

/** The descendants of a process. */
function descendants(pid) {
  const children = new Map()
  for (const entry of readdirSync('/proc')) {
    if (!/^\d+$/.test(entry)) continue
    try {
      const parent = Number(/\) \S (\d+) /.exec(readFileSync(`/proc/${entry}/stat`, 'utf8'))?.[1])
      children.set(parent, [...(children.get(parent) ?? []), Number(entry)])
    } catch {
      // The process ended meanwhile.
    }
  }
  const of = (parent) => (children.get(parent) ?? []).flatMap((child) => [child, ...of(child)])
  return of(pid)
}

function signal(pid, name) {
  try {
    process.kill(pid, name)
  } catch (error) {
    if (error.code !== 'ESRCH') throw error
  }
}

/** Ends a part: `SIGTERM` or `SIGINT`, then `SIGKILL` after 20 s; or `SIGKILL` at once, for the part and its descendants. */
export async function end(part, signalName = 'SIGTERM') {
  const pid = runningPid(part)
  if (pid !== null) {
    const group = descendants(pid)
    signal(pid, signalName)
    if (signalName === 'SIGKILL') for (const child of group) signal(child, 'SIGKILL')
    const deadline = Date.now() + 20_000
    while (runningPid(part) !== null) {
      if (Date.now() > deadline) signal(pid, 'SIGKILL')
      await sleep(50)
    }
  }
  rmSync(pidFile(part), { force: true })
}

/** Whether something listens on a port of this machine. */
export function portOpen(port) {
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false))
    socket.once('connect', () => socket.destroy())
  })
}

/** Waits until nothing listens on a part's port, which a process killed a moment ago still frees. Throws an Error if another program has it. */
export async function waitUntilFree(part, port, timeoutMs = 10_000) {
  const deadline = Date.now() + timeoutMs
  while (await portOpen(port)) {
    if (Date.now() > deadline) {
      const variable = `TIDEMARK_CLUSTER_${part.toUpperCase()}_PORT`
      throw new Error(`port ${port}, which ${part} needs, is taken by another program: end that, or set ${variable}.`)
    }
    await sleep(100)
  }
}

/** Whether a GET returns a success status. */
export async function answersOk(url) {
  const response = await fetch(url, { signal: AbortSignal.timeout(5000) })
  await response.arrayBuffer()
  return response.ok
}
