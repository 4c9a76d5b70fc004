import { spawnSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { parseStage } from '../../../lib/stage/parse-stage.ts'
import { listStages, readStageFile, requireStage } from '../../../lib/stage/stage-files.ts'
import { describeStageFile } from '../../../lib/stage/stage-schema.ts'

const folder = mkdtempSync(join(tmpdir(), 'stages-'))
afterAll(() => rmSync(folder, { recursive: true }))

const root = join(import.meta.dirname, '../../..')
const documents = ['stages/README.md', 'docs/own-relation.md'].map((path) => readFileSync(join(root, path), 'utf8'))
const examples = documents.flatMap((text) =>
  [...text.matchAll(/^```json\n(.*?)^```/gms)].map(([, example = '']) => example),
)

const refused =
  (content: unknown, name = 'own') =>
  () =>
    parseStage(name, content)

describe('a stage file', () => {
  it.each(listStages())('%s of this repository is valid', (name) => {
    expect(requireStage(name)).toMatchObject({ name })
  })

  it('may be empty, because each field has a default', () => {
    expect(parseStage('own', {})).toEqual({
      name: 'own',
      publicBaseUrl: 'https://{apiId}.execute-api.{region}.{domain}/{stage}',
      retentionDays: 7,
      waitingHours: 6,
      runningHours: 2,
      disposable: false,
      dataLimitBytes: 100_000_000_000,
      throttle: { requestsPerSecond: 200, burst: 400 },
      limits: { searches: 20, perMinute: 60 },
      accessLog: false,
      corsOrigins: [],
    })
  })

  it.each(examples)('is explained by a valid example: %s', (example) => {
    expect(parseStage('example', JSON.parse(example))).toMatchObject({ name: 'example' })
  })

  it('with a misspelt field is refused, naming the field', () => {
    expect(refused({ alarmEmial: 'a@example.com' })).toThrow(
      'the stage "own" is not valid: alarmEmial is not a field here',
    )
    expect(refused({ limits: { searches: 1001 } })).toThrow(
      'limits.searches must be a whole number from 1 to 1000, not 1001',
    )
    expect(refused({ throttle: { requestsPerSecond: 1, bursts: 1 } })).toThrow('throttle.bursts is not a field here')
  })

  it.each(['retentionDays', 'waitingHours', 'runningHours'])('needs a whole number for %s', (field) => {
    for (const value of [0, -1, 3.5, '7', null])
      expect(refused({ [field]: value })).toThrow(
        `${field} must be a whole number of at least 1, not ${JSON.stringify(value)}`,
      )
  })

  it('cannot have a data limit below Athena’s minimum', () => {
    expect(refused({ dataLimitBytes: 9_999_999 })).toThrow('dataLimitBytes must be a whole number of at least 10000000')
    expect(parseStage('own', { dataLimitBytes: 10_000_000 }).dataLimitBytes).toBe(10_000_000)
  })

  it.each([
    'https://rates.example/',
    'https://rates.example/v2/',
    'rates.example',
    'ftp://rates.example',
    'https://rates.example?x=1',
    'https://rates.example#x',
    'https://key@rates.example',
    '',
  ])('cannot have the public address "%s"', (publicBaseUrl) => {
    expect(refused({ publicBaseUrl })).toThrow('publicBaseUrl must be an http or https URL without a slash at its end')
  })

  it('can have an address with a path and placeholders', () => {
    const publicBaseUrl = 'https://{apiId}.{domain}/a/{stage}'
    expect(parseStage('own', { publicBaseUrl }).publicBaseUrl).toBe(publicBaseUrl)
  })

  it('has the address of its custom domain by default', () => {
    const customDomain = {
      name: 'rates.example.com',
      certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/1',
    }
    expect(parseStage('own', { customDomain }).publicBaseUrl).toBe('https://rates.example.com')
  })

  it('keeps requests for longer than a job may wait and run', () => {
    expect(parseStage('own', { retentionDays: 1, waitingHours: 48, runningHours: 23 }).waitingHours).toBe(48)
    expect(refused({ retentionDays: 1, waitingHours: 48, runningHours: 24 })).toThrow(
      'waitingHours + runningHours must be less than 72, not 72: with retentionDays 1 a request is deleted 72 hours after its creation',
    )
  })

  it('cannot have loads whose workers Fargate does not offer, or that ask for more than they may have', () => {
    const order = { toc: 'https://payer.example/index.json' }
    const schedule = { cron: '0 3 6 * ? *', order }
    expect(refused({ loads: { memoryGib: 2 } })).toThrow('a memoryGib of 2: it must be 4 to 16 for 2 vCPUs')
    expect(refused({ loads: { maxWorkers: 5, schedules: [schedule] } })).toThrow(
      'a schedule of 10 workers, more than its maxWorkers of 5',
    )
    const files = Array.from({ length: 200 }, (_, index) => `https://payer.example/${index}.json`)
    expect(refused({ loads: { schedules: [{ ...schedule, order: { files, payer: 'Acme' } }] } })).toThrow(
      'must be at most 3000 characters of JSON: list files in a table of contents',
    )
  })

  it('names every column that its own relation lacks or that rates does not have', () => {
    const warehouse = {
      workGroup: 'w',
      database: 'd',
      queryResults: 's3://q/',
      dataLocations: [],
      columns: ['payer', 'paier'],
    }
    expect(refused({ warehouse })).toThrow(
      /warehouse\.columns lacks the required plan, .*names what rates does not have: paier/,
    )
  })

  it('is refused with all of its faults in one line', () => {
    expect(refused({ retentionDays: 0, alarmEmail: 'nobody', corsOrigins: ['https://a.example/'] })).toThrow(
      'the stage "own" is not valid: retentionDays must be a whole number of at least 1, not 0; ' +
        'alarmEmail must be an email address, not "nobody"; ' +
        'corsOrigins.0 must be an origin such as https://tools.example.com, not "https://a.example/"',
    )
  })

  it.each(['', 'a b', 'a_b', 'x'.repeat(65)])('cannot be called "%s"', (name) => {
    expect(refused({}, name)).toThrow('its name must have 1 to 64 letters, digits and hyphens')
  })

  it('has the name of its file', () => {
    const path = join(folder, 'acme-prod.json')
    writeFileSync(path, '{}')
    expect(readStageFile(path).name).toBe('acme-prod')
  })

  it('that is not JSON or does not exist is refused in one line', () => {
    const path = join(folder, 'broken.json')
    writeFileSync(path, '{')
    expect(() => readStageFile(path)).toThrow(/^the stage "broken" is not valid: .*broken\.json cannot be read: .*$/)
    expect(() => readStageFile(join(folder, 'absent.json'))).toThrow(/absent\.json cannot be read: ENOENT/)
  })
})

describe('the synthesis', () => {
  const synthesise = (context: Readonly<Record<string, string>>) => {
    const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) }
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin/app.ts')], { env, encoding: 'utf8' })
    return { status, stderr }
  }

  it('of an unknown stage ends with one line and exit code 1', () => {
    expect(synthesise({ stage: 'prd' })).toEqual({
      status: 1,
      stderr: `error: there is no stage "prd"; stages/ has ${listStages().join(', ')}\n`,
    })
  })

  it('of a stage file that is not valid ends with one line and exit code 1', () => {
    const path = join(folder, 'unfit.json')
    writeFileSync(path, JSON.stringify({ retentionDays: 0 }))
    expect(synthesise({ stageFile: path })).toEqual({
      status: 1,
      stderr: 'error: the stage "unfit" is not valid: retentionDays must be a whole number of at least 1, not 0\n',
    })
  })
})

describe('the JSON schema of stage files', () => {
  it('is current: npm run schema writes it', () => {
    const written = JSON.parse(readFileSync(join(root, 'stages/stage.schema.json'), 'utf8'))
    expect(written).toEqual(describeStageFile())
  })
})
