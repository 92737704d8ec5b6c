import { expect, test } from 'vitest'
import { Serial } from './serial.ts'

test('starts the first task at once and the others one after another, in call order', async () => {
  const serial = new Serial()
  const steps: string[] = []
  const task = (name: string) => async (): Promise<string> => {
    steps.push(`${name} starts`)
    await null
    steps.push(`${name} ends`)
    return name
  }
  const running = [serial.run(task('a')), serial.run(task('b')), serial.run(task('c'))]
  expect(steps).toEqual(['a starts'])
  expect(await Promise.all(running)).toEqual(['a', 'b', 'c'])
  expect(steps).toEqual(['a starts', 'a ends', 'b starts', 'b ends', 'c starts', 'c ends'])
})

test('a failed task does not block the next', async () => {
  const serial = new Serial()
  const failing = serial.run(async () => {
    throw new Error('no')
  })
  const next = serial.run(async () => 'next')
  await expect(failing).rejects.toThrow('no')
  expect(await next).toBe('next')
  expect(await serial.run(async () => 'idle again')).toBe('idle again')
})
