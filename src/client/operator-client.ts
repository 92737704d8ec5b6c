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

/** The operator's side of the service: what a key with the right `admin` may ask, or in part one with `observe`. */
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

  /** With `drop`, its entity goes with all that it holds. */
  async deleteIngest(alias: string, data: 'keep' | 'drop'): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `/admin/ingests/${segment(alias)}${search({ data })}` })
  }

  /** Validates rejected rows again, mended or for another ingest: those with these ids, all of the ingest when it is null. */
  replayRejected(alias: string, ids: readonly string[] | null, changes: ReplayChanges = {}): Promise<ReplayAnswer> {
    return this.#http.json(replayRequest(alias, ids, changes))
  }

  /** What that would do to the first of them. */
  previewReplay(alias: string, ids: readonly string[] | null, changes: ReplayChanges): Promise<PreviewAnswer> {
    return this.#http.json(replayRequest(alias, ids, changes, '/preview'))
  }

  /** Pushes that ended the validator, in the order in which they were accepted. */
  quarantine({ limit, token }: PageRequest = {}): Promise<Page<QuarantinedAnswer>> {
    return this.#http.json({ method: 'GET', path: `/admin/quarantine${search({ limit, NextToken: token })}` })
  }

  /** The body of one of them, as it was pushed. */
  quarantineBody(id: string): Promise<string> {
    return this.#http.text({ method: 'GET', path: `/admin/quarantine/${segment(id)}/body`, headers: { accept: '*/*' } })
  }

  /** Deletes that body; its rows stay among the rejected ones. */
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
   * How long an entity keeps its items: an ISO 8601 duration, or null for ever; undefined leaves it as it is. `hoursRetention`: how long their
   * hours stay once they expire; `none` keeps none.
   */
  retain(entity: string, retention?: string | null, hoursRetention?: string | null): Promise<EntityAnswer> {
    const path = `/admin/entities/${segment(entity)}`
    return this.#http.json({
      method: 'PATCH',
      path,
      body: JSON.stringify({ retention, hours_retention: hoursRetention }),
    })
  }

  /** How an entity is read where a request does not say it; what is left out stays. */
  setReading(entity: string, reading: Omit<ChangeEntity, 'retention' | 'hours_retention'>): Promise<EntityAnswer> {
    const path = `/admin/entities/${segment(entity)}`
    return this.#http.json({ method: 'PATCH', path, body: JSON.stringify(reading) })
  }

  /** Rows that were pushed before are no longer seen; a key with the rights `correct` and `consume` may do so too. */
  deleteRows(entity: string, deletion: NewDeletion): Promise<DeletionAnswer> {
    return this.#http.json({ method: 'POST', path: deletionsOf(entity), body: JSON.stringify(deletion) })
  }

  /** What that would take from view. */
  tryDeletion(entity: string, deletion: NewDeletion): Promise<DryDeletion> {
    const body = JSON.stringify({ ...deletion, dry_run: true })
    return this.#http.json({ method: 'POST', path: deletionsOf(entity), body })
  }

  /** Newest first, without those that were taken back. */
  deletions(entity: string, { limit, token }: PageRequest = {}): Promise<Page<DeletionAnswer>> {
    return this.#http.json({ method: 'GET', path: `${deletionsOf(entity)}${search({ limit, NextToken: token })}` })
  }

  /** Its rows are seen again. */
  async takeBackDeletion(entity: string, id: number): Promise<void> {
    await this.#http.text({ method: 'DELETE', path: `${deletionsOf(entity)}/${id}` })
  }

  /** What each entity has on disk. */
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

  /** All of them are on one page. */
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

  /** Who changed what on the operator's side, newest first. */
  audit({ limit, token, ...filters }: AuditFilters & PageRequest = {}): Promise<Page<AuditAnswer>> {
    return this.#http.json({ method: 'GET', path: `/admin/audit${search({ ...filters, limit, NextToken: token })}` })
  }

  /** Makes a hook, or replaces it; a secret that is left out stays. */
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
