/** The settings that this folder reads, a part of `Settings`. */
export interface HttpSettings {
  readonly host: string
  /** A `pipeline` serves only requests about its state. */
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
    /** Not empty if the service serves HTTPS. */
    readonly tlsCertFile: string
    readonly hosts: readonly string[]
    /** The trusted proxies: none, this many hops, or those at these addresses. */
    readonly trustProxy: false | number | readonly string[]
    readonly headerBytes: number
    readonly headersMs: number
    readonly requestMs: number
    readonly keepAliveMs: number
  }
}
