import { readFile } from 'node:fs/promises'
import type { Readable } from 'node:stream'
import { text } from 'node:stream/consumers'
import { TidemarkClient } from '../client/client.ts'
import type { ClientOptions } from '../client/transport.ts'
import { systemErrorText } from '../lib/system-error.ts'
import { CommandError, UsageError } from './command-error.ts'

export interface TextOutput {
  write(text: string | Uint8Array): boolean
  once(event: 'drain', listener: () => void): unknown
  readonly isTTY?: boolean | undefined
  readonly columns?: number | undefined
}

/** Everything that the commands use of their environment, so that tests can replace it. */
export interface CliContext {
  readonly environment: NodeJS.ProcessEnv
  readonly stdin: Readable
  readonly stdout: TextOutput
  readonly stderr: TextOutput
  /** The main file of the CLI, for starting the service in a separate process. */
  readonly mainPath: string
  readonly nowMs: () => number
  /** Resolves after that time, or immediately when the signal is aborted. */
  readonly sleep: (ms: number, signal?: AbortSignal) => Promise<void>
  /** Sets the exit code of the process; 0 by default. */
  readonly exitWith: (code: number) => void
}

export interface ConnectionOptions {
  readonly url?: string
  readonly key?: string
}

const defaultUrl = 'http://127.0.0.1:8080'

/** A client for `--url` and `--key`, or for the values of the environment. Throws `UsageError` if the URL is not a valid address. */
export function connect(context: CliContext, options: ConnectionOptions, send: typeof fetch = fetch): TidemarkClient {
  return new TidemarkClient({ ...connectionOf(context, options), fetch: send })
}

/** The client options that `connect` uses. */
export function connectionOf(context: CliContext, options: ConnectionOptions): Pick<ClientOptions, 'url' | 'key'> {
  const url = options.url ?? (context.environment['TIDEMARK_URL'] || defaultUrl)
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) {
    throw new UsageError(`"${url}" is not the address of a service. Give --url or TIDEMARK_URL, as in ${defaultUrl}.`)
  }
  const key = options.key ?? context.environment['TIDEMARK_KEY']
  return { url, key: key === undefined || key.trim() === '' ? undefined : key.trim() }
}

/** Waits while the reader of the output is slower than the chunks. */
export async function writeAll(output: TextOutput, chunks: AsyncIterable<Uint8Array>): Promise<void> {
  for await (const chunk of chunks) {
    if (!output.write(chunk)) await new Promise<void>((resolve) => output.once('drain', resolve))
  }
}

/** The text of a file, or of standard input for `-`. Throws `CommandError` if it cannot be read. */
export async function readText(file: string, { stdin }: Pick<CliContext, 'stdin'>): Promise<string> {
  if (file === '-') return text(stdin)
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    throw new CommandError(`${file} cannot be read: ${systemErrorText(cause)}.`, { cause })
  }
}
