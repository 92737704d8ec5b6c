import type {
  AuditAnswer,
  AuditFilters,
  ChangeEntity,
  CreatedKey,
  DeletionAnswer,
  DryDeletion,
  EntityAnswer,
  HookAnswer,
  HookDefinition,
  HookDelivery,
  IngestAnswer,
  IngestChange,
  ListedBackup,
  MadeBackup,
  NewDeletion,
  NewIngest,
  NewKey,
  Page,
  PageRequest,
  PreviewAnswer,
  QuarantinedAnswer,
  ReplayAnswer,
  ReplayChanges,
  SettingAnswer,
  StorageAnswer,
  SubscriberAnswer,
  SubscriptionEntry,
} from './answers.ts'
import { replayRequest, search, segment } from './request-paths.ts'
import { type ClientOptions, Transport } from './transport.ts'

/** The administrative API, for keys with the right `admin`, or partly `observe`. */
export class OperatorClient {
  readonly #http: Transport

  constructor(options: ClientOptions) {
    this.#http = new Transport(options)
  }

  createIngest(ingest: NewIngest): Promise<IngestAnswer> {
    return this.#http.json({ method: 'POST', path: '/admin/ingests', body: JSON.stringify(ingest) })
  }

  ingests({ limit, token }: PageRequest = {}): Promise<Page<IngestAnswer>> {
    return this.#http.json({ method: 'GET', path: `/admin/ingests${search({ limit, NextToken: token })}` })
  }

  ingest(alias: string, signal?: AbortSignal): Promise<IngestAnswer> {
    return this.#http.json({ method: 'GET', path: `/admin/ingests/${segment(alias)}`, signal })
  }

  changeIngest(alias: string, change: IngestChange): Promise<IngestAnswer> {
    return this.#http.json({ method: 'PATCH', path: `/admin/ingests/${segment(alias)}`, body: JSON.stringify(change) })
  }

  /** With `drop`, also deletes its entity with all its data. */
  async deleteIngest(alias: string, data: 'keep' | 'drop'): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `/admin/ingests/${segment(alias)}${search({ data })}` })
  }

  /** Validates rejected rows again, changed or for another ingest: those with these ids, or all of the ingest for null. */
  replayRejected(alias: string, ids: readonly string[] | null, changes: ReplayChanges = {}): Promise<ReplayAnswer> {
    return this.#http.json(replayRequest(alias, ids, changes))
  }

  /** The effect of such a replay on the first rows. */
  previewReplay(alias: string, ids: readonly string[] | null, changes: ReplayChanges): Promise<PreviewAnswer> {
    return this.#http.json(replayRequest(alias, ids, changes, '/preview'))
  }

  /** Pushes that crashed the validator, in the order of their acceptance. */
  quarantine({ limit, token }: PageRequest = {}): Promise<Page<QuarantinedAnswer>> {
    return this.#http.json({ method: 'GET', path: `/admin/quarantine${search({ limit, NextToken: token })}` })
  }

  /** The body of a quarantined push, as it was pushed. */
  quarantineBody(id: string): Promise<string> {
    return this.#http.text({ method: 'GET', path: `/admin/quarantine/${segment(id)}/body`, headers: { accept: '*/*' } })
  }

  /** Deletes the body of a quarantined push; its rows stay rejected. */
  async discardQuarantined(id: string): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `/admin/quarantine/${segment(id)}` })
  }

  async deleteItem(table: string, id: string): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `/admin/metadata/${segment(table)}/items/${segment(id)}` })
  }

  adminEntities({ limit, token }: PageRequest = {}): Promise<Page<EntityAnswer>> {
    return this.#http.json({ method: 'GET', path: `/admin/entities${search({ limit, NextToken: token })}` })
  }

  /**
   * Sets how long an entity keeps its items: an ISO 8601 duration, or null for ever; undefined leaves it unchanged. `hoursRetention` is how long their hours
   * are kept after they expire; `none` keeps none.
   */
  retain(entity: string, retention?: string | null, hoursRetention?: string | null): Promise<EntityAnswer> {
    const path = `/admin/entities/${segment(entity)}`
    return this.#http.json({
      method: 'PATCH',
      path,
      body: JSON.stringify({ retention, hours_retention: hoursRetention }),
    })
  }

  /** Sets the defaults for reading an entity, which requests can override. Omitted members stay unchanged. */
  setReading(entity: string, reading: Omit<ChangeEntity, 'retention' | 'hours_retention'>): Promise<EntityAnswer> {
    const path = `/admin/entities/${segment(entity)}`
    return this.#http.json({ method: 'PATCH', path, body: JSON.stringify(reading) })
  }

  /** Hides rows that were pushed before. Also allowed for a key with the rights `correct` and `consume`. */
  deleteRows(entity: string, deletion: NewDeletion): Promise<DeletionAnswer> {
    return this.#http.json({ method: 'POST', path: deletionsOf(entity), body: JSON.stringify(deletion) })
  }

  /** The effect of such a deletion. */
  tryDeletion(entity: string, deletion: NewDeletion): Promise<DryDeletion> {
    const body = JSON.stringify({ ...deletion, dry_run: true })
    return this.#http.json({ method: 'POST', path: deletionsOf(entity), body })
  }

  /** Newest first, without deletions that were taken back. */
  deletions(entity: string, { limit, token }: PageRequest = {}): Promise<Page<DeletionAnswer>> {
    return this.#http.json({ method: 'GET', path: `${deletionsOf(entity)}${search({ limit, NextToken: token })}` })
  }

  /** Makes the rows of a deletion visible again. */
  async takeBackDeletion(entity: string, id: number): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `${deletionsOf(entity)}/${id}` })
  }

  /** The disk usage of each entity. */
  storage({ limit, token }: PageRequest = {}): Promise<Page<StorageAnswer>> {
    return this.#http.json({ method: 'GET', path: `/admin/storage${search({ limit, NextToken: token })}` })
  }

  createSubscriber(name: string): Promise<SubscriberAnswer> {
    return this.#http.json({ method: 'POST', path: '/admin/subscribers', body: JSON.stringify({ name }) })
  }

  subscribers({ limit, token }: PageRequest = {}): Promise<Page<SubscriberAnswer>> {
    return this.#http.json({ method: 'GET', path: `/admin/subscribers${search({ limit, NextToken: token })}` })
  }

  async deleteSubscriber(name: string): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `/admin/subscribers/${segment(name)}` })
  }

  createKey(subscriber: string, key: NewKey): Promise<CreatedKey> {
    const path = `/admin/subscribers/${segment(subscriber)}/keys`
    return this.#http.json({ method: 'POST', path, body: JSON.stringify(key) })
  }

  async deleteKey(id: string): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `/admin/keys/${segment(id)}` })
  }

  /** A single page contains all of them. */
  subscriptions(subscriber: string): Promise<Page<SubscriptionEntry>> {
    return this.#http.json({ method: 'GET', path: `/admin/subscribers/${segment(subscriber)}/subscriptions` })
  }

  /** Replaces all of the subscriber's subscriptions. */
  async putSubscriptions(subscriber: string, subscriptions: readonly SubscriptionEntry[]): Promise<void> {
    const path = `/admin/subscribers/${segment(subscriber)}/subscriptions`
    await this.#http.text({ method: 'PUT', path, body: JSON.stringify(subscriptions) })
  }

  /** The backups in the service's own folder, newest first. */
  backups({ limit, token }: PageRequest = {}): Promise<Page<ListedBackup>> {
    return this.#http.json({ method: 'GET', path: `/admin/backups${search({ limit, NextToken: token })}` })
  }

  /** Resolves when the backup is complete. */
  makeBackup(): Promise<MadeBackup> {
    return this.#http.json({ method: 'POST', path: '/admin/backups' })
  }

  /** Administrative changes and their authors, newest first. */
  audit({ limit, token, ...filters }: AuditFilters & PageRequest = {}): Promise<Page<AuditAnswer>> {
    return this.#http.json({ method: 'GET', path: `/admin/audit${search({ ...filters, limit, NextToken: token })}` })
  }

  /** Creates or replaces a hook; an omitted secret stays unchanged. */
  putHook(name: string, hook: HookDefinition): Promise<HookAnswer> {
    return this.#http.json({ method: 'PUT', path: `/admin/hooks/${segment(name)}`, body: JSON.stringify(hook) })
  }

  hooks({ limit, token }: PageRequest = {}): Promise<Page<HookAnswer>> {
    return this.#http.json({ method: 'GET', path: `/admin/hooks${search({ limit, NextToken: token })}` })
  }

  hook(name: string): Promise<HookAnswer> {
    return this.#http.json({ method: 'GET', path: `/admin/hooks/${segment(name)}` })
  }

  async deleteHook(name: string): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `/admin/hooks/${segment(name)}` })
  }

  /** The events of a hook, newest first. */
  hookDeliveries(name: string, { limit, token }: PageRequest = {}): Promise<Page<HookDelivery>> {
    const path = `/admin/hooks/${segment(name)}/deliveries${search({ limit, NextToken: token })}`
    return this.#http.json({ method: 'GET', path })
  }

  settings(): Promise<Page<SettingAnswer>> {
    return this.#http.json({ method: 'GET', path: '/admin/settings' })
  }
}

const deletionsOf = (entity: string): string => `/admin/entities/${segment(entity)}/deletions`
