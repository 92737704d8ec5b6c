// The jars of Kafka and Druid, fetched by Maven once and kept.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { here, jarsFolder } from './settings.mjs'

/** What a command says of itself. Throws with the advice where it is not here. */
function requireCommand(command, versionFlag, advice) {
  const result = spawnSync(command, [versionFlag], { encoding: 'utf8' })
  if (result.error !== undefined) throw new Error(`${command} is not here. ${advice}`)
  return result.stdout + result.stderr
}

/** Throws with what to install when there is no Java that Kafka and Druid run on. */
export function requireJava() {
  const advice = 'Kafka and Druid need a JDK 17 or 21: on Debian `apt-get install openjdk-17-jdk-headless maven`.'
  const said = requireCommand('java', '-version', advice)
  const version = /version "(\d+)/.exec(said)?.[1]
  if (version !== '17' && version !== '21') throw new Error(`java is version ${version}. ${advice}`)
}

/** Makes sure that the jars of `kafka` or `druid` are here; returns their class path. */
export function jars(name) {
  const folder = join(jarsFolder, name)
  const pom = readFileSync(join(here, `${name}-pom.xml`), 'utf8')
  const complete = join(folder, 'complete')
  // The marker holds the list that was fetched, so that a changed one is fetched again.
  if (!existsSync(complete) || readFileSync(complete, 'utf8') !== pom) {
    requireCommand('mvn', '-version', 'Maven fetches the jars: on Debian `apt-get install maven`.')
    mkdirSync(folder, { recursive: true })
    copyFileSync(join(here, `${name}-pom.xml`), join(folder, 'pom.xml'))
    console.log(`fetching the jars of ${name} into ${folder}`)
    const goal = ['dependency:copy-dependencies', '-DincludeScope=runtime', '-DoutputDirectory=lib']
    const result = spawnSync('mvn', ['-q', '-B', ...goal], { cwd: folder, stdio: 'inherit' })
    if (result.status !== 0) throw new Error(`Maven could not fetch the jars of ${name}: see above.`)
    writeFileSync(complete, pom)
  }
  return join(folder, 'lib', '*')
}
