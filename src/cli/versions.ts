import { readSettings } from '../config/read-settings.ts'
import { readZoneFiles, timeZonesOf } from '../druid-time/zone-folder.ts'
import { packageVersion } from '../lib/own-package.ts'
import type { CliContext } from './context.ts'

/** `tidemark --version --verbose`: what a service would have that is started here. Resolves with the exit code. */
export async function printVersions({ environment, stdout }: CliContext): Promise<number> {
  const { server } = await readSettings({}, environment)
  const { version, source } = timeZonesOf(await readZoneFiles(server.timeZones))
  stdout.write(`tidemark ${packageVersion}\nnode ${process.versions.node}\ntime zones ${version} (${source})\n`)
  return 0
}
