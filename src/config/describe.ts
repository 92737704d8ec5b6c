import { flagName, settingEntries } from './settings.ts'

/** One flag of `tidemark serve`; `loadSettings` receives its value under `name`. */
export interface SettingFlag {
  readonly name: string
  /** The part of the name before the dot, empty if there is none. */
  readonly group: string
  readonly flag: string
  readonly description: string
}

/** The flags for all settings but the secret ones, for the command line's parser and its help. */
export function settingFlags(): readonly SettingFlag[] {
  return settingEntries
    .filter(([, setting]) => !setting.secret)
    .map(([name, setting]) => ({
      name,
      group: name.includes('.') ? name.split('.')[0]! : '',
      flag: flagName(name),
      description: `${setting.description} (default: ${setting.defaultText.replaceAll('`', '')})`,
    }))
}

/** The topic of each group of settings, for `tidemark serve --help`. Settings without a dot are in the first group. */
export const settingGroups: ReadonlyMap<string, string> = new Map([
  ['', 'address, data folder and engine'],
  ['access', 'who may read data and metrics'],
  ['limits', 'the largest pushes, queries and answers'],
  ['spool', 'memory and files of answers that are not sent yet'],
  ['journal', 'how pushes are written to disk'],
  ['store', 'how rows are stored in memory and in files'],
  ['backup', 'where backups are made'],
  ['replica', 'a replica of the data folder'],
  ['sql', 'memory and threads of the SQL engine'],
  ['jdbc', 'connections and statements of JDBC drivers'],
  ['i3x', 'i3X: the tree of objects, and the limits of its answers and subscriptions'],
  ['portal', 'the web pages'],
  ['self', "the service's own history"],
  ['hooks', 'addresses that receive events for operators'],
  ['deletions', 'rows that were deleted'],
  ['audit', "the record of operators' changes"],
  ['server', 'HTTP: base path, proxy, times'],
  ['cors', 'which web pages may call the service'],
  ['log', 'level and format of the log'],
  ['cluster', 'engine=cluster: its name'],
  ['ingest', 'engine=cluster: partitions of an entity'],
  ['kafka', 'engine=cluster: Apache Kafka'],
  ['druid', 'engine=cluster: Apache Druid'],
  ['postgres', 'engine=cluster: PostgreSQL'],
])
