import { Worker } from 'node:worker_threads'
import { describe, expect, it } from 'vitest'
import { readEnvironment, readTraceId } from '../../lambdas/environment.ts'
import { type FunctionDefinition, readFunctions } from '../../local/lambda/function-definition.ts'
import { readStackTemplate } from '../../local/stack-template.ts'
import { connectEndpoints } from '../endpoints/connect.ts'

const { assembly, environment } = connectEndpoints()
const functions = readFunctions(readStackTemplate(assembly, 'SearchService'), {
  environment,
  credentialsOf: () => ({}),
})

describe('the id of a trace', () => {
  it('comes from the header of a trace that X-Ray records', () => {
    expect(readTraceId('Root=1-6566f3a0-0a1b2c3d;Parent=53995c3f42cd8ad8;Sampled=1;Lineage=a:0')).toBe(
      '1-6566f3a0-0a1b2c3d',
    )
  })

  it.each([
    '',
    'Root=1-6566f3a0-0a1b2c3d;Parent=53995c3f42cd8ad8;Sampled=0',
    'Root=1-6566f3a0-0a1b2c3d',
    'Sampled=1',
    ';;=',
  ])('stays out of the log if the header is "%s"', (header) => expect(readTraceId(header)).toBeUndefined())
})

describe("a function's environment", () => {
  it('contains the named variables and nothing else', () => {
    const source = { ACCESS_TABLE: 'access', CATALOGUE_TABLE: 'catalogue', SECRET: 'secret' }
    const expected = { ACCESS_TABLE: 'access', CATALOGUE_TABLE: 'catalogue' }
    expect(readEnvironment(['ACCESS_TABLE', 'CATALOGUE_TABLE'], source)).toEqual(expected)
  })

  it('parses numbers, and leaves words unchanged', () => {
    const source = { QUERY_WAIT_MS: '0', RETENTION_DAYS: '7', FEE_SCHEDULES: 'relation' }
    const expected = { QUERY_WAIT_MS: 0, RETENTION_DAYS: 7, FEE_SCHEDULES: 'relation' }
    expect(readEnvironment(['QUERY_WAIT_MS', 'RETENTION_DAYS', 'FEE_SCHEDULES'], source)).toEqual(expected)
  })

  it('fails with all variables that are missing, empty or not valid', () => {
    const source = { JOBS_TABLE: 'jobs', RETENTION_DAYS: '', WAITING_HOURS: 'six', FEE_SCHEDULES: 'load' }
    const readAll = () =>
      readEnvironment(['JOBS_TABLE', 'ACCESS_TABLE', 'RETENTION_DAYS', 'WAITING_HOURS', 'FEE_SCHEDULES'], source)
    expect(readAll).toThrow(
      expect.objectContaining({
        name: 'EnvironmentNotValid',
        message:
          'the environment of this function is not valid: ACCESS_TABLE is not set; RETENTION_DAYS is not set; ' +
          'WAITING_HOURS must be a whole number of at least 1, not "six"; ' +
          'FEE_SCHEDULES must be one of loads, relation, not "load"',
      }),
    )
  })

  it.each(['0', '-1', '1.5', ' 1', '1e3', '0x10', 'NaN', '99999999999'])('refuses %j as a number of days', (text) => {
    expect(() => readEnvironment(['RETENTION_DAYS'], { RETENTION_DAYS: text })).toThrow(
      `RETENTION_DAYS must be a whole number of at least 1, not "${text}"`,
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

describe('the bundle of a function', () => {
  it.each(functions.map((each) => [each.name, each] as const))('loads with its variables: %s', async (_, each) => {
    expect(await load(each, each.environment)).toBe('function')
  })

  const functionsWithVariables = functions.filter(({ name }) => name !== 'NotFound')

  it.each(functionsWithVariables.map((each) => [each.name, each] as const))(
    'fails without its variables, and names exactly those that the stage sets: %s',
    async (_, each) => {
      const message = await load(each, environment)
      // Variables of Lambda and the SDK begin with AWS_.
      const names = Object.keys(each.environment).filter((name) => !(name in environment || name.startsWith('AWS_')))
      expect([...message.matchAll(/(\w+) is not set/g)].map(([, name]) => name).sort()).toEqual(names.sort())
    },
  )
})
