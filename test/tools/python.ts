// Python virtual environments, each created once and kept under node_modules.
import { execFile } from 'node:child_process'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** The tested clients, as named in docs/guides/tools.md and docs/guides/line-protocol.md. */
const clients = ['pydruid==0.6.9', 'pandas>=2', 'SQLAlchemy>=2.0,<2.1', 'influxdb-client==1.50.0']

/** Returns the path of the Python interpreter in an environment with these packages. */
export async function python(name = 'tools', packages: readonly string[] = clients): Promise<string> {
  const folder = fileURLToPath(new URL(`../../node_modules/.cache/${name}-python`, import.meta.url))
  const interpreter = `${folder}/bin/python`
  const isThere = await readFile(`${folder}/complete`, 'utf8').then(
    (made) => made === packages.join(' '),
    () => false,
  )
  if (isThere) return interpreter
  await run('python3', ['-m', 'venv', '--clear', folder])
  await run(interpreter, ['-m', 'pip', 'install', '--quiet', ...packages])
  await writeFile(`${folder}/complete`, packages.join(' '))
  return interpreter
}
