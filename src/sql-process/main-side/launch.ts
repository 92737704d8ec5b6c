// Starts the engine's process.
import { type ChildProcess, fork, type StdioOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface LaunchOptions {
  /** The compiled `entry.js`, or a test's replacement for it. */
  readonly entryUrl: URL
  /** Threads for the engine's blocking work; more than the number of concurrent queries. */
  readonly poolThreads: number
  /** Limit on the memory that the process writes to, on systems that can limit it. */
  readonly dataBytes: number
}

/** May throw, or return a process that ends with the event `error`. */
export type Launch = (options: LaunchOptions) => ChildProcess

const shell = '/bin/sh'

/** The limit applies however fast memory is allocated. A shell that cannot set it continues without. */
const bounded = 'ulimit -d "$1" 2>/dev/null; shift; exec "$@"'

export const launchEngine: Launch = ({ entryUrl, poolThreads, dataBytes }) => {
  // Only the environment variables that the process needs, so none of the server's keys are passed on.
  const env = { PATH: process.env['PATH'] ?? '', TZ: 'UTC', UV_THREADPOOL_SIZE: String(poolThreads) }
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit', 'ipc']
  const options = { env, stdio, serialization: 'advanced' as const }
  // Only on Linux does this limit count the memory that is written to.
  if (process.platform !== 'linux' || !existsSync(shell)) return fork(entryUrl, [], { ...options, execArgv: [] })
  const kibibytes = String(Math.ceil(dataBytes / 1024))
  return spawn(shell, ['-c', bounded, 'sh', kibibytes, process.execPath, fileURLToPath(entryUrl)], options)
}
