// Ensures that Java and Avatica's JDBC driver are available for the tests of tools; prints the class path of the driver at the end.
import { jars, requireJava } from './cluster/jars.mjs'

requireJava()
console.log(jars('avatica'))
