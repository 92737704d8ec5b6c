// How the engine's process is started.
import { type ChildProcess, fork, type StdioOptions, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

export interface LaunchOptions {
  /** The compiled `entry.js`, or what a test runs in its place. */
  readonly entryUrl: URL
  /** Threads for what the engine waits for: more than there are queries at once. */
  readonly poolThreads: number
  /** What the system lets it have of memory that it writes to, where the system can bound that. */
  readonly dataBytes: number
}

/** May throw, or give a process that ends with the event `error`. */
export type Launch = (options: LaunchOptions) => ChildProcess

const shell = '/bin/sh'

/** Its bound holds however fast memory is taken; a shell that cannot set it goes on without. */
const bounded = 'ulimit -d "$1" 2>/dev/null; shift; exec "$@"'

export const launchEngine: Launch = ({ entryUrl, poolThreads, dataBytes }) => {
  // Of the environment only what a process needs to run: no key of the server's is in it.
  const env = { PATH: process.env['PATH'] ?? '', TZ: 'UTC', UV_THREADPOOL_SIZE: String(poolThreads) }
  const stdio: StdioOptions = ['ignore', 'ignore', 'inherit', 'ipc']
  const options = { env, stdio, serialization: 'advanced' as const }
  // Only Linux counts the memory that is written to.
  if (process.platform !== 'linux' || !existsSync(shell)) return fork(entryUrl, [], { ...options, execArgv: [] })
  const kibibytes = String(Math.ceil(dataBytes / 1024))
  return spawn(shell, ['-c', bounded, 'sh', kibibytes, process.execPath, fileURLToPath(entryUrl)], options)
}
