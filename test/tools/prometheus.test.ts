// Checks the Prometheus rules with promtool.
import { expect, test } from 'vitest'
import { hasPromtool, promtoolFault } from '../deploy/promtool.ts'

const rules = 'deploy/prometheus/rules.yaml'

test.runIf(hasPromtool)('promtool accepts the rules, and the alerts fire when they should', () => {
  expect(promtoolFault('check', 'rules', rules)).toBeNull()
  expect(promtoolFault('test', 'rules', 'test/deploy/alerts.test.yaml')).toBeNull()
})
