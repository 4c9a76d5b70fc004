import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { environmentNames, readEnvironment } from '../../lambdas/environment.ts'
import type { FunctionDefinition } from '../../local/lambda/function-definition.ts'
import { readFunctions } from '../../local/lambda/function-definition.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import { connectEndpoints } from '../connect.ts'

const { assembly, environment } = connectEndpoints()
const functions = readFunctions(readStackTemplate(assembly, 'SearchService'), {
  environment,
  credentialsOf: () => ({}),
})

describe("a function's environment", () => {
  it('is read by name, and nothing else comes along', () => {
    const source = { ACCESS_TABLE: 'access', CATALOGUE_TABLE: 'catalogue', SECRET: 'secret' }
    const expected = { ACCESS_TABLE: 'access', CATALOGUE_TABLE: 'catalogue' }
    expect(readEnvironment('list-fee-schedules', source)).toEqual(expected)
  })

  it('reports all that is missing at once, empty values too', () => {
    const read = () => readEnvironment('create-search', { JOBS_TABLE: 'jobs', RETENTION_DAYS: '' })
    expect(read).toThrow(
      'create-search lacks the environment variables ACCESS_TABLE, STATE_MACHINE_ARN, PUBLIC_BASE_URL, RETENTION_DAYS',
    )
  })
})

/** Loads a bundle where Lambda would: in a process of its own variables. */
function load({ bundle }: FunctionDefinition, env: Readonly<Record<string, string>>): Promise<string> {
  const script = `import(${JSON.stringify(bundle)}).then(
    ({ handler }) => require('node:worker_threads').parentPort.postMessage(typeof handler),
    ({ message }) => require('node:worker_threads').parentPort.postMessage(message),
  )`
  return new Promise((resolve, reject) => {
    const worker = new Worker(script, { eval: true, env: { ...env }, execArgv: [] })
    worker.once('message', resolve)
    worker.once('error', reject)
  })
}

/** What only a stage with a relation `fee_schedules` of the operator's own has. */
const operatorsOwn = ['refresh-fee-schedules']

describe('the bundles', () => {
  it('are one for each operation of the stage', () => {
    const pascal = (operation: string) =>
      operation.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())
    const names = functions.map(({ name }) => name)
    const operations = Object.keys(environmentNames).filter((operation) => !operatorsOwn.includes(operation))
    expect(names.sort()).toEqual(operations.map(pascal).sort())
  })

  it.each(functions.map((each) => [each.name, each] as const))('of %s loads with its variables', async (_, each) => {
    expect(await load(each, each.environment)).toBe('function')
  })

  it('say what they lack without them', async () => {
    const lacking = functions.filter(({ name }) => name !== 'NotFound')
    const messages = await Promise.all(lacking.map((each) => load(each, environment)))
    for (const message of messages) expect(message).toMatch(/^[\w-]+ lacks the environment variables [A-Z_, ]+$/)
  })
})
