/** What a person at a terminal sees under the admin key that the first start made. */
export function firstSteps(url: string, adminKey: string): string {
  return `
This is the admin key. It is not shown again, so keep it. The service has no data yet. In another terminal:

  export TIDEMARK_URL=${url} TIDEMARK_KEY=${adminKey}
  tidemark ingests create plant      creates a target for rows {D, T, V}
  tidemark --help                    lists all commands

${url}/docs describes the interface. "tidemark demo" starts a service with a week of data.

`
}
