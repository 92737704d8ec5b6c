// PostgreSQL as packaged by Debian. It refuses to run as root, so root starts it as the user of the package.
import { spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { launch, waitUntilLeft } from './processes.mjs'
import { ports, stateFolder } from './settings.mjs'

const packages = '/usr/lib/postgresql'
const isRoot = process.getuid() === 0
const data = join(stateFolder, 'postgres')

function run(command, commandArguments, options = {}) {
  const result = spawnSync(command, commandArguments, { encoding: 'utf8', cwd: '/', ...options })
  if (result.error !== undefined) throw result.error
  if (result.status !== 0) throw new Error(`${command} ${commandArguments[0]}: ${result.stderr || result.stdout}`)
  return result.stdout
}

/** The command for a program of the newest installed PostgreSQL, run as PostgreSQL's user; null if none is installed. */
function command(name) {
  const versions = existsSync(packages) ? readdirSync(packages) : []
  const folders = versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(packages, version, 'bin'))
  const folder = folders.find((candidate) => existsSync(join(candidate, 'initdb')))
  if (folder === undefined) return null
  const asUser = isRoot ? ['setpriv', '--reuid=postgres', '--regid=postgres', '--init-groups'] : []
  return [...asUser, join(folder, name)]
}

/** Throws an Error that says what to install if PostgreSQL is missing. */
export function requireServer() {
  if (command('initdb') === null)
    throw new Error(
      'PostgreSQL is not here: on Debian `apt-get install postgresql`. The tests start a server of their own.',
    )
}

function psql(database, script) {
  const [program, ...rest] = command('psql')
  const where = ['-h', '127.0.0.1', '-p', String(ports.postgres), '-U', 'postgres', '-d', database]
  const flags = ['-X', '-q', '-A', '-t', '-v', 'ON_ERROR_STOP=1', '-c', script]
  return run(program, [...rest, ...where, ...flags], { env: { ...process.env, PGPASSWORD: 'postgres' } })
}

function initialise() {
  mkdirSync(stateFolder, { recursive: true })
  chmodSync(stateFolder, 0o755)
  const building = `${data}.new`
  rmSync(building, { recursive: true, force: true })
  mkdirSync(building)
  const password = join(building, '..', 'postgres.password')
  writeFileSync(password, 'postgres\n')
  chmodSync(password, 0o644)
  if (isRoot) run('chown', ['postgres:postgres', building])
  const [program, ...rest] = command('initdb')
  const login = ['-U', 'postgres', `--pwfile=${password}`, '-A', 'scram-sha-256']
  run(program, [...rest, '-D', building, '-E', 'UTF8', '--locale=C.UTF-8', ...login])
  // The folder is moved into place only when it is complete.
  run('mv', [building, data])
}

export const postgres = {
  async launch() {
    requireServer()
    if (!existsSync(data)) initialise()
    // After a SIGKILL, the lock file names a process that may not have been reaped yet; PostgreSQL considers it running.
    await waitUntilLeft(data)
    rmSync(join(data, 'postmaster.pid'), { force: true })
    const options = ['-h', '127.0.0.1', '-p', String(ports.postgres), '-k', '', '-c', 'max_connections=200']
    launch('postgres', [...command('postgres'), '-D', data, ...options])
  },
  /** True when the server responds and Tidemark's user and database exist; creates them if necessary. */
  async answers() {
    const users = psql('postgres', "SELECT count(*) FROM pg_roles WHERE rolname = 'tidemark'").trim()
    if (users === '0') psql('postgres', "CREATE ROLE tidemark LOGIN PASSWORD 'tidemark'")
    const databases = psql('postgres', "SELECT count(*) FROM pg_database WHERE datname = 'tidemark'").trim()
    if (databases === '0') psql('postgres', 'CREATE DATABASE tidemark OWNER tidemark')
    return true
  },
}
