// A shell that follows guides as their reader would: in an empty folder, with `tidemark` as a command and as a package.
import { spawn } from 'node:child_process'
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { inheritedEnvironment } from '../support/inherited-environment.ts'
import { programPath } from '../support/server-process.ts'
import type { GuideCommand, SavedFile } from './guide.ts'

export interface Outcome {
  readonly output: string
  readonly exitCode: number
}

/** The port in the guides, which is replaced by a free one. */
const guidePort = /\b8080\b/g
const mark = '\u001e'

export interface ShellOptions {
  readonly folder: string
  readonly port: number
  readonly steps: readonly (GuideCommand | SavedFile)[]
}

/** Follows the steps in order and resolves with the outcome of each command. Background processes end with the shell. */
export async function follow({ folder, port, steps }: ShellOptions): Promise<Outcome[]> {
  const bin = join(folder, 'bin')
  const work = join(folder, 'work')
  await mkdir(bin)
  await mkdir(work)
  // What `npm install tidemark` installs, for programs that import the client.
  await mkdir(join(folder, 'node_modules'))
  await symlink(resolve('.'), join(folder, 'node_modules/tidemark'))
  await writeFile(join(bin, 'tidemark'), `#!/bin/sh\nexec "${process.execPath}" "${programPath}" "$@"\n`)
  await chmod(join(bin, 'tidemark'), 0o755)
  const script = [
    preamble(folder, port),
    ...steps.map((step) => ('name' in step ? saving(step, port) : running(step, port))),
  ]
  await writeFile(join(folder, 'script.sh'), script.join('\n'))
  const output = await runShell(join(folder, 'script.sh'), work, {
    ...inheritedEnvironment(),
    PATH: `${bin}:${process.env['PATH']}`,
    TIDEMARK_PORT: String(port),
    TIDEMARK_URL: `http://127.0.0.1:${port}`,
    TIDEMARK_LOG_FORMAT: 'json',
    // On a slow machine, the history's rows would change the positions that pages show.
    TIDEMARK_SELF_HISTORY_MS: '0',
  })
  const outcomes = output.split(mark).slice(1)
  return outcomes.map((text) => {
    const [exitCode = '', ...rest] = text.split('\n')
    return { output: rest.join('\n').replaceAll(`:${port}`, ':8080'), exitCode: Number(exitCode) }
  })
}

function preamble(folder: string, port: number): string {
  return `
set -u
ROOT='${folder}'
SERVICE=
stop_service() { if [ -n "$SERVICE" ]; then kill "$SERVICE" && wait "$SERVICE"; SERVICE=; fi; }
trap stop_service EXIT
start_service() {
  stop_service
  "$@" > "$ROOT/service.log" 2>&1 &
  SERVICE=$!
  for _ in $(seq 300); do
    if ! kill -0 "$SERVICE" 2> /dev/null; then cat "$ROOT/service.log"; SERVICE=; return 1; fi
    if grep -qE '"url"|Press Ctrl-C' "$ROOT/service.log"; then break; fi
    sleep 0.1
  done
  curl -fs --retry 60 --retry-connrefused --retry-delay 1 -o /dev/null http://127.0.0.1:${port}/readyz
  cat "$ROOT/service.log"
}
begin() { exec 8>&1 > "$ROOT/output" 2>&1; }
end() { local code=$?; exec >&8 2>&1; printf '${mark}%d\\n' "$code"; cat "$ROOT/output"; }
`
}

function saving({ name, content }: SavedFile, port: number): string {
  return `cat > '${name}' <<'THE_END_OF_THE_FILE'\n${content.replaceAll(guidePort, String(port))}THE_END_OF_THE_FILE`
}

function running({ text }: GuideCommand, port: number): string {
  const here = text.trimEnd().replaceAll(guidePort, String(port))
  const served = here.match(/^(?:[A-Z_]+=\S* )*tidemark (?:serve|demo)\b(?!.*--once)/)
  if (served === null) return `begin\n${here}\nend`
  const command = here.includes('tidemark demo') ? `${here} --port ${port}` : here
  return `begin\nstart_service env ${command}\nend`
}

function runShell(path: string, cwd: string, env: NodeJS.ProcessEnv): Promise<string> {
  return new Promise((resolve, reject) => {
    const shell = spawn('bash', [path], { cwd, env, stdio: ['ignore', 'pipe', 'pipe'] })
    let output = ''
    shell.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    shell.stderr.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    shell.once('error', reject)
    shell.once('close', () => resolve(output))
  })
}
