// Checks what a start needs from the machine, before anything is opened. Each fault names its setting.
import { lstatSync, mkdirSync, realpathSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { access, constants } from 'node:fs/promises'
import { createServer } from 'node:net'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { fileURLToPath } from 'node:url'
import { type PairFiles, readPair } from '../lib/certificate-pair.ts'
import { privateFolderMode } from '../lib/private-files.ts'
import { codeOf, systemErrorText } from '../lib/system-error.ts'
import { SettingsError } from '../model/settings-error.ts'
import { dataPaths } from './data-paths.ts'
import type { Settings } from './settings.ts'

type StartSettings = Pick<
  Settings,
  'engine' | 'server' | 'host' | 'port' | 'data' | 'backup' | 'replica' | 'kafka' | 'druid' | 'postgres'
>

/** Makes the data folder if there are no other faults. Throws `SettingsError`. */
export async function checkStart(settings: StartSettings): Promise<void> {
  const isEmbedded = settings.engine === 'embedded'
  const dataFault = folderFault('data', settings.data)
  const faults = [
    await listeningFault(settings),
    await certificateFault(settings),
    dataFault,
    ...(isEmbedded && dataFault === null ? partFaults(settings.data) : []),
    ...(isEmbedded ? [] : await authorityFaults(settings)),
    isEmbedded && settings.backup.directory !== '' ? folderFault('backup.directory', settings.backup.directory) : null,
    isEmbedded ? copyFault(settings) : null,
  ].filter((fault) => fault !== null)
  if (faults.length === 0) faults.push(...writingFaults(settings.data))
  if (faults.length > 0) throw new SettingsError(faults)
}

/** Listens for a moment: there is no other way to find out whether the address is available. */
async function listeningFault({ host, port }: Pick<Settings, 'host' | 'port'>): Promise<string | null> {
  const server = createServer()
  try {
    await new Promise<void>((resolve, reject) => server.once('error', reject).listen({ host, port }, resolve))
    await new Promise((resolve) => server.close(resolve))
    return null
  } catch (error) {
    return listenFailure(error, { host, port })
  }
}

/** Why the service cannot listen there, and what to do. */
export function listenFailure(error: unknown, { host, port }: Pick<Settings, 'host' | 'port'>): string {
  switch (codeOf(error)) {
    case 'EADDRINUSE':
      return `The address is in use (host ${host}, port ${port}). Stop the program that listens there, or choose another port with --port.`
    case 'EADDRNOTAVAIL':
      return `host (${host}) is not an address of this machine. Give --host one of its addresses, or 0.0.0.0 for all.`
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
    case 'EINVAL':
      return `host (${host}) is neither an address nor a known name. Give --host an address of this machine, such as 127.0.0.1.`
    case 'EACCES':
      return `port (${port}) is not allowed for this user. Choose another one with --port, from 1024 on, or give the service permission to use it.`
    default:
      return `host (${host}) and port (${port}) cannot be listened on: ${systemErrorText(error)}.`
  }
}

/** The fault of an existing folder, or of the place where it would be made; null if there is none. */
function folderFault(name: string, path: string): string | null {
  for (let at = resolve(path); ; at = dirname(at)) {
    const kind = kindOf(at)
    if (kind === 'a folder') return null
    if (kind !== 'nothing' || at === dirname(at)) {
      const what = at === resolve(path) ? 'is' : `cannot be made, for ${at} is`
      return `${name} (${path}) ${what} ${kind}. Give it a folder.`
    }
  }
}

/** Refuses a replica inside or around the data folder: it would be lost with the disk and the folder, and one would contain the other. */
function copyFault({ data, replica: { url } }: StartSettings): string | null {
  if (!url.startsWith('file:') || !URL.canParse(url)) return null
  const [ofCopy, ofData] = [realPath(fileURLToPath(url)), realPath(data)]
  if (!isWithin(ofCopy, ofData) && !isWithin(ofData, ofCopy)) return null
  const where = ofCopy === ofData ? 'is' : isWithin(ofCopy, ofData) ? 'lies within' : 'lies around'
  return `replica.url (${url}) ${where} the data folder (data: ${data}). Give the replica a folder outside it, best on another disk.`
}

function isWithin(inner: string, outer: string): boolean {
  const way = relative(outer, inner)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}

/** The path without symbolic links, as far as it exists. */
function realPath(path: string): string {
  const at = resolve(path)
  try {
    return realpathSync(at)
  } catch {
    return at === dirname(at) ? at : join(realPath(dirname(at)), basename(at))
  }
}

/** Finds files where the data folder has folders, and the reverse. */
function partFaults(data: string): string[] {
  const { catalog, validation, live, ...folders } = dataPaths(data)
  const expected = [
    ...Object.values(folders).map((path) => ({ path, kind: 'a folder' })),
    ...[catalog, validation, live, join(data, 'owner.lock'), join(data, 'owner.pid')].map((path) => ({
      path,
      kind: 'a file',
    })),
  ]
  return expected.flatMap(({ path, kind }) => {
    const found = kindOf(path)
    if (found === kind || found === 'nothing') return []
    return [`data (${data}) holds ${path}, which must be ${kind} and is ${found}.`]
  })
}

/** `a folder`, `nothing`, or another kind in words. A link to a folder counts as a folder. */
function kindOf(path: string): string {
  try {
    const [found, itself] = [statSync, lstatSync].map((look) => look(path, { throwIfNoEntry: false }))
    if (found === undefined) return itself === undefined ? 'nothing' : 'a link to nothing'
    if (found.isDirectory()) return 'a folder'
    return itself?.isSymbolicLink() === true ? 'a link to a file' : 'a file'
  } catch (error) {
    if (codeOf(error) === 'ENOTDIR') return 'nothing'
    return `out of reach (${systemErrorText(error)})`
  }
}

/** Only writing shows for certain whether permissions, read-only disks or file systems without files prevent it. */
function writingFaults(data: string): string[] {
  const trial = join(data, `start-${process.pid}.check`)
  try {
    makeFolder(resolve(data))
    rmSync(trial, { force: true })
    writeFileSync(trial, '', { flag: 'wx' })
    rmSync(trial)
    return []
  } catch (error) {
    return [
      `data (${data}) cannot be written: ${systemErrorText(error)}. Give the service a folder that it can write to.`,
    ]
  }
}

/**
 * Makes one folder at a time. If the system denies that an existing folder exists, as in /proc, a recursive mkdir of Node.js would never end.
 */
function makeFolder(path: string): void {
  if (kindOf(path) === 'a folder') return
  makeFolder(dirname(path))
  mkdirSync(path, { mode: privateFolderMode })
}

/** The certificate and key files; null for plain HTTP. */
export function ownPairFiles({ server: { tlsCertFile, tlsKeyFile } }: Pick<Settings, 'server'>): PairFiles | null {
  if (tlsCertFile === '' || tlsKeyFile === '') return null
  return {
    certificate: { name: 'server.tlsCertFile', path: tlsCertFile },
    key: { name: 'server.tlsKeyFile', path: tlsKeyFile },
  }
}

async function certificateFault(settings: Pick<Settings, 'server'>): Promise<string | null> {
  const { tlsCertFile, tlsKeyFile } = settings.server
  if ((tlsCertFile === '') !== (tlsKeyFile === '')) {
    const [given, lacking] = tlsKeyFile === '' ? ['tlsCertFile', 'tlsKeyFile'] : ['tlsKeyFile', 'tlsCertFile']
    return `server.${given} is given and server.${lacking} is not. Give both for HTTPS, or neither for plain HTTP.`
  }
  const files = ownPairFiles(settings)
  if (files === null) return null
  return readPair(files).then(
    () => null,
    (error: Error) => error.message,
  )
}

async function authorityFaults({ kafka, druid, postgres }: StartSettings): Promise<string[]> {
  const files = { 'kafka.caFile': kafka.caFile, 'druid.caFile': druid.caFile, 'postgres.caFile': postgres.caFile }
  const faults: string[] = []
  for (const [name, path] of Object.entries(files)) {
    if (path === '') continue
    if (kindOf(path) === 'a folder') faults.push(`${name} (${path}) cannot be read: it is a folder.`)
    else
      await access(path, constants.R_OK).catch((error) =>
        faults.push(`${name} (${path}) cannot be read: ${systemErrorText(error)}.`),
      )
  }
  return faults
}
