import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { environmentNames, readEnvironment } from '../../lambdas/environment.ts'
import type { FunctionDefinition } from '../../local/lambda/function-definition.ts'
import { readFunctions } from '../../local/lambda/function-definition.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import { connectEndpoints } from '../endpoints/connect.ts'

const { assembly, environment } = connectEndpoints()
const functions = readFunctions(readStackTemplate(assembly, 'SearchService'), {
  environment,
  credentialsOf: () => ({}),
})

describe("a function's environment", () => {
  it('contains the declared variables and nothing else', () => {
    const source = { ACCESS_TABLE: 'access', CATALOGUE_TABLE: 'catalogue', SECRET: 'secret' }
    const expected = { ACCESS_TABLE: 'access', CATALOGUE_TABLE: 'catalogue' }
    expect(readEnvironment('list-fee-schedules', source)).toEqual(expected)
  })

  it('reports all missing variables at once, including empty ones', () => {
    const read = () => readEnvironment('create-search', { JOBS_TABLE: 'jobs', RETENTION_DAYS: '' })
    expect(read).toThrow(
      'create-search is missing the environment variables ACCESS_TABLE, STATE_MACHINE_ARN, PUBLIC_BASE_URL, RETENTION_DAYS',
    )
  })
})

/** Loads a bundle like Lambda, in a process with only its variables. */
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

/** The function that only a stage with an operator's relation `fee_schedules` has. */
const operatorsOwn = ['refresh-fee-schedules']

describe('the bundles', () => {
  it('are one per operation of the stage', () => {
    const pascal = (operation: string) =>
      operation.replace(/(^|-)(\w)/g, (_, __, letter: string) => letter.toUpperCase())
    const names = functions.map(({ name }) => name)
    const operations = Object.keys(environmentNames).filter((operation) => !operatorsOwn.includes(operation))
    expect(names.sort()).toEqual(operations.map(pascal).sort())
  })

  it.each(functions.map((each) => [each.name, each] as const))('of %s loads with its variables', async (_, each) => {
    expect(await load(each, each.environment)).toBe('function')
  })

  it('name their missing variables if loaded without them', async () => {
    const lacking = functions.filter(({ name }) => name !== 'NotFound')
    const messages = await Promise.all(lacking.map((each) => load(each, environment)))
    for (const message of messages) expect(message).toMatch(/^[\w-]+ is missing the environment variables [A-Z_, ]+$/)
  })
})
