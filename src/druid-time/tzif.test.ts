import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { tzif } from '../../test/support/tzif.ts'
import { runtimeOffsets } from './runtime-zone.ts'
import { tzifChanges } from './tzif.ts'
import { Zone } from './zone.ts'
import { ZoneChanges } from './zone-changes.ts'
import { readZoneFiles, timeZonesOf } from './zone-folder.ts'
import { useZoneFiles } from './zone-rules.ts'

const folders: string[] = []
afterEach(async () => {
  useZoneFiles(null)
  for (const folder of folders.splice(0)) await rm(folder, { recursive: true })
})

const hour = 3600

test.each<[rule: string, like: string, standard: number]>([
  ['CET-1CEST,M3.5.0,M10.5.0/3', 'Europe/Madrid', hour],
  ['EST5EDT,M3.2.0,M11.1.0', 'America/New_York', -5 * hour],
  ['IST-1GMT0,M10.5.0,M3.5.0/1', 'Europe/Dublin', 0],
  ['<+1030>-10:30<+11>-11,M10.1.0,M4.1.0', 'Australia/Lord_Howe', 10.5 * hour],
  ['<-02>2<-01>,M3.5.0/-1,M10.5.0/0', 'America/Nuuk', -2 * hour],
  ['IST-2IDT,M3.4.4/26,M10.5.0', 'Asia/Jerusalem', 2 * hour],
  ['<+0545>-5:45', 'Asia/Kathmandu', 5.75 * hour],
])('the rule %s produces the clock changes of %s', (rule, like, standard) => {
  const since = Date.UTC(2029, 11, 1) / 1000
  const changes = new ZoneChanges(tzifChanges(tzif({ offsets: [-hour, standard], changes: [[since, standard]], rule })))
  const ask = runtimeOffsets(like)
  const instants = Array.from(
    { length: 4000 },
    (_, index) => Date.UTC(2031, 0, 1) + index * (index < 2000 ? 50 : 977) * hour * 1000,
  )
  const differing = instants.filter((at) => !Object.is(changes.at(at), ask(at)))
  expect(differing.map((at) => new Date(at))).toEqual([])
  expect(changes.at((since - 1) * 1000)).toBe(-hour * 1000)
})

test.each<[rule: string, at: string, offset: number]>([
  // J60 is always 1 March, because it does not count 29 February. 59 counts from 0 and includes 29 February, so it is that day in a leap year.
  ['XST0XDT,J60/0,300/0', '2028-02-29T12:00Z', 0],
  ['XST0XDT,J60/0,300/0', '2028-03-01T12:00Z', hour],
  ['XST0XDT,59/0,300/0', '2028-02-29T12:00Z', hour],
  ['XST0XDT,59/0,300/0', '2027-03-01T12:00Z', hour],
  // Summer time all year.
  ['XST0XDT,0/0,J365/25', '2028-01-01T00:00Z', hour],
  ['XST0XDT,0/0,J365/25', '2028-07-01T00:00Z', hour],
])('%s at %s', (rule, at, offset) => {
  expect(new ZoneChanges(tzifChanges(tzif({ offsets: [0], rule }))).at(Date.parse(at))).toBe(offset * 1000)
})

test.each<[what: string, bytes: Uint8Array, message: string]>([
  [
    'a text file',
    Buffer.from('# version 2026a, and more than so many characters'),
    'it is not a TZif file of version 2 or later',
  ],
  ['an invalid rule', tzif({ offsets: [0], rule: 'CET-1CEST,M3' }), 'its rule "CET-1CEST,M3" is not valid'],
  ['a file without offsets', tzif({ offsets: [] }), 'it names no offset'],
])('%s is refused', (_what, bytes, message) => {
  expect(() => tzifChanges(bytes)).toThrow(message)
})

async function folderOf(files: Readonly<Record<string, Uint8Array | string>>): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'tidemark-zoneinfo-'))
  folders.push(folder)
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  return folder
}

/** Madrid without summer time from 2026 on, as a later database might define it. */
const always = tzif({ offsets: [0, hour], changes: [[Date.UTC(2026, 0, 1) / 1000, hour]], rule: 'CET-1' })
const [july, ms] = [Date.UTC(2027, 6, 1), hour * 1000]

test('a folder defines all zones that it contains, and their aliases', async () => {
  const folder = await folderOf({
    'tzdata.zi': '# version 2099a\n# redo posix_only\n',
    'Europe/Madrid': always,
    'Asia/Calcutta': always,
    'posix/Europe/Paris': always,
    leapseconds: 'none',
  })
  await symlink('Europe/Madrid', join(folder, 'Spain'))
  const files = await readZoneFiles(folder)
  useZoneFiles(files)
  expect([...files!.files.keys()].sort()).toEqual(['asia/calcutta', 'europe/madrid', 'spain'])
  expect(timeZonesOf(files)).toEqual({ version: '2099a', source: folder })
  const offsets = ['Europe/Madrid', 'europe/MADRID', 'Spain', 'Asia/Kolkata', 'Europe/Paris', 'Mars/Olympus'].map(
    (name) => Zone.find(name)?.offset(july) ?? null,
  )
  expect(offsets).toEqual([ms, ms, ms, ms, 2 * ms, null])
  useZoneFiles(null)
  expect(timeZonesOf(null)).toEqual({ version: process.versions['tz'], source: 'runtime' })
  expect(Zone.find('Europe/Madrid')!.offset(july)).toBe(2 * ms)
})

test.each([
  ['tzdata.zi', '# version 2099a\n', true],
  ['+VERSION', '2099a\n', true],
  ['tzdata.zi', '# version 1999a\n', false],
  ['tzdata.zi', `# version ${process.versions['tz']}\n`, false],
  ['README', '2099a\n', false],
])('the system folder with %s of %j is used: %j', async (name, text, isTaken) => {
  const folder = await folderOf({ [name]: text, 'Europe/Madrid': always })
  expect((await readZoneFiles('', folder))?.folder ?? null).toBe(isTaken ? folder : null)
})

test('a configured folder is read completely or refused', async () => {
  const broken = tzif({ offsets: [0], rule: 'CET-1CEST,M3' })
  const folder = await folderOf({ 'Europe/Madrid': always, 'Europe/Paris': broken })
  await expect(readZoneFiles(folder)).rejects.toMatchObject({
    sentences: [
      expect.stringMatching(
        /^server.timeZones .* its file Europe\/Paris cannot be read: its rule .*\. Use a folder such as /,
      ),
    ],
  })
  await expect(readZoneFiles(await folderOf({ README: 'x' }))).rejects.toThrow('it holds no zones (TZif files)')
  await expect(readZoneFiles(join(folder, 'none'))).rejects.toThrow('ENOENT')
  expect(await readZoneFiles('', join(folder, 'none'))).toBeNull()
})
