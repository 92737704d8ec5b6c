/** The settings that this folder reads, as `Settings` has them. */
export interface HttpSettings {
  readonly host: string
  /** A `pipeline` takes no requests but those about how it is. */
  readonly role: 'all' | 'api' | 'pipeline'
  readonly access: { readonly consumption: 'public' | 'key'; readonly metrics: 'public' | 'key' | null }
  readonly limits: {
    readonly ingestBodyBytes: number
    readonly bodiesBytes: number
    readonly queryBodyBytes: number
    readonly queryBodiesBytes: number
    readonly adminBodyBytes: number
    readonly sendIdleMs: number
    readonly liveBytes: number
    readonly liveTotalBytes: number
    readonly resultBytes: number
  }
  readonly jdbc: { readonly bodiesBytes: number }
  readonly cors: { readonly origins: readonly string[] }
  readonly portal: { readonly enabled: boolean }
  readonly server: {
    readonly basePath: string
    /** Not empty where the service speaks HTTPS. */
    readonly tlsCertFile: string
    readonly hosts: readonly string[]
    /** Which proxies are believed: none, so many, or those at these addresses. */
    readonly trustProxy: false | number | readonly string[]
    readonly headerBytes: number
    readonly headersMs: number
    readonly requestMs: number
    readonly keepAliveMs: number
  }
}
