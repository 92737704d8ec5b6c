import { ensureAdminKey } from '../access/admin-key.ts'
import { Audit } from '../admin/audit.ts'
import { keyState } from '../admin/subscribers.ts'
import type { SharedCatalog } from '../catalog/catalog.ts'
import type { Settings } from '../config/settings.ts'
import { settingsInForce } from '../config/settings-in-force.ts'
import { repeat } from '../lib/repeat.ts'
import { NextTokens } from '../model/next-token.ts'
import { checkFailed } from '../observe/check-failed.ts'
import type { Observe } from '../observe/event.ts'
import type { Closer } from './open-storage.ts'

interface AuditedStart {
  readonly settings: Settings
  readonly observe: Observe
  readonly nowMs: () => number
}

const removeOldMs = 3_600_000

/** Opens the audit, which records this start, and makes sure that there is an admin key: see `ensureAdminKey`. */
export async function openAudit(
  { settings, observe, nowMs }: AuditedStart,
  catalog: Pick<SharedCatalog, 'audit' | 'access' | 'secrets'>,
  closers: Closer[],
): Promise<{ readonly audit: Audit; readonly newAdminKey: string | null }> {
  const audit = new Audit({
    audit: catalog.audit,
    tokens: new NextTokens(await catalog.secrets.secret('next-token')),
    pageBytes: settings.limits.pageBytes,
    keep: settings.audit.keep,
    settings: setByOperator(settings),
    nowMs,
  })
  const failed = checkFailed(observe)
  // A start does not fail because there is no space for its entry: writing it is tried again.
  const keep = (): Promise<void> => audit.keepOwn()
  await keep().catch(failed)
  await audit.removeOld().catch(failed)
  closers.push(() => keep().catch(failed))
  closers.push(repeat(keep, settings.limits.checkMs, failed))
  closers.push(repeat(() => audit.removeOld(), removeOldMs, failed))
  const firstKey = audit.startChange('first-admin-key', keyState)
  const newAdminKey = await firstKey.run(() => ensureAdminKey(catalog.access, settings.adminKey, nowMs))
  return { audit, newAdminKey }
}

/** Settings that differ from the default, in the form that operators see; for a secret, only that it is set. */
function setByOperator(settings: Settings): Readonly<Record<string, unknown>> {
  const set = settingsInForce(settings).filter(({ usual }) => !usual)
  return Object.fromEntries(set.map(({ setting, value, secret }) => [setting, secret ? 'set' : value]))
}
