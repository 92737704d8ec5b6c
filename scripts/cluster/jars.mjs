// The jars of Kafka and Druid, downloaded once by Maven and kept.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { here, jarsFolder } from './settings.mjs'

/** The version output of a command. Throws an Error with the advice if the command is missing. */
function requireCommand(command, versionFlag, advice) {
  const result = spawnSync(command, [versionFlag], { encoding: 'utf8' })
  if (result.error !== undefined) throw new Error(`${command} is not here. ${advice}`)
  return result.stdout + result.stderr
}

/** Throws an Error that says what to install if there is no Java on which Kafka and Druid run. */
export function requireJava() {
  const advice = 'Kafka and Druid need a JDK 17 or 21: on Debian `apt-get install openjdk-17-jdk-headless maven`.'
  const said = requireCommand('java', '-version', advice)
  const version = /version "(\d+)/.exec(said)?.[1]
  if (version !== '17' && version !== '21') throw new Error(`java is version ${version}. ${advice}`)
}

/** Ensures that the jars of `kafka` or `druid` are available; returns their class path. */
export function jars(name) {
  const folder = join(jarsFolder, name)
  const pom = readFileSync(join(here, `${name}-pom.xml`), 'utf8')
  const complete = join(folder, 'complete')
  // The marker contains the list that was downloaded, so that a changed list is downloaded again.
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
