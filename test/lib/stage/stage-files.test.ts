import { spawnSync } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
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
      searchFiles: 'auto',
      disposable: false,
      dataLimitBytes: 100_000_000_000,
      alarmBytesPerHour: 1_000_000_000_000,
      throttle: { requestsPerSecond: 200, burst: 400 },
      limits: { searches: 20, perMinute: 60 },
      fewFunctions: false,
      waitingCalls: 0,
      unknownSizes: false,
      alarms: true,
      tracing: false,
      alarmTargets: [],
      accessLog: false,
      corsOrigins: [],
    })
  })

  it.each(examples)('matches the example in the documents: %s', (example) => {
    expect(parseStage('example', JSON.parse(example))).toMatchObject({ name: 'example' })
  })

  it('refuses a misspelt field by its name', () => {
    expect(refused({ alarmTarget: 'a@example.com' })).toThrow(
      'the stage "own" is not valid: alarmTarget is not a field here',
    )
    expect(refused({ limits: { searches: 1001 } })).toThrow(
      'limits.searches must be a whole number from 1 to 1000, not 1001',
    )
    expect(refused({ throttle: { requestsPerSecond: 1, bursts: 1 } })).toThrow('throttle.bursts is not a field here')
  })

  it.each([
    ['retentionDays', 3650],
    ['waitingHours', 4000],
    ['runningHours', 4000],
  ])('requires a whole number for %s', (field, most) => {
    for (const value of [0, -1, 3.5, most + 1, 1e30, '7', null])
      expect(refused({ [field]: value })).toThrow(
        `${field} must be a whole number from 1 to ${most}, not ${JSON.stringify(value)}`,
      )
  })

  it('cannot have a data limit below Athena’s minimum', () => {
    expect(refused({ dataLimitBytes: 9_999_999 })).toThrow(
      'dataLimitBytes must be a whole number from 10000000 to 1000000000000000, not 9999999',
    )
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

  it('uses the address of its custom domain by default', () => {
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

  it('refuses loads with sizes that Fargate does not offer, or with more workers than their maximum', () => {
    const order = { toc: 'https://payer.example/index.json' }
    const schedule = { cron: '0 3 6 * ? *', order }
    expect(refused({ loads: { memoryGib: 2 } })).toThrow('a memoryGib of 2: it must be 4 to 16 for 2 vCPUs')
    expect(refused({ loads: { maxWorkers: 5, schedules: [schedule] } })).toThrow(
      'loads.schedules has workers 10, more than loads.maxWorkers 5',
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
      /warehouse\.columns lacks the required plan, .*names columns that rates does not have: paier/,
    )
  })

  it('lists all of its faults in one line', () => {
    expect(refused({ retentionDays: 0, alarmTargets: ['nobody'], corsOrigins: ['https://a.example/'] })).toThrow(
      'the stage "own" is not valid: retentionDays must be a whole number from 1 to 3650, not 0; ' +
        'alarmTargets.0 must be an email address or the ARN of an SNS topic, not "nobody"; ' +
        'corsOrigins.0 must be an origin such as https://tools.example.com, not "https://a.example/"',
    )
  })

  const key = 'arn:aws:kms:eu-central-1:111122223333'
  const certificateArn = 'arn:aws:acm:eu-central-1:111122223333:certificate/1'
  const operatorWarehouse = { workGroup: 'w', database: 'd', queryResults: 's3://q/', dataLocations: [] }
  const scheduled = (fields: object) => ({ loads: { schedules: [{ cron: '0 3 6 * ? *', ...fields }] } })
  const files = (toc: string) => scheduled({ order: { toc } })
  const toc = 'https://payer.example/index.json'

  it.each([
    ['a list as the file', [], 'the file must be an object, not a list'],
    ['a list as limits', { limits: [] }, 'limits must be an object, not a list'],
    ['a list as loads', { loads: [] }, 'loads must be an object, not a list'],
    [
      'an alias of a key',
      { encryptionKeyArn: `${key}:alias/foo` },
      `encryptionKeyArn must be the ARN of a KMS key, arn:aws:kms:…:key/…, not "${key}:alias/foo"`,
    ],
    [
      'a misspelt placeholder',
      { publicBaseUrl: 'https://{apID}.example' },
      'publicBaseUrl may have {apiId}, {region}, {domain} and {stage} in braces, not "https://{apID}.example"',
    ],
    [
      'the zone of another domain',
      { customDomain: { name: 'rates.example.com', certificateArn, hostedZone: { id: 'Z1', name: 'ample.com' } } },
      'customDomain is "rates.example.com", which is not in its hostedZone "ample.com"',
    ],
    ['an excessive limit', { dataLimitBytes: 1e30 }, 'dataLimitBytes must be a whole number from 10000000 to'],
    [
      'a relation without files',
      { warehouse: { ...operatorWarehouse, feeSchedules: 'relation' } },
      'warehouse.dataLocations must name where your relation keeps its files',
    ],
    [
      'a bucket of rates beside a warehouse of the operator',
      { warehouse: operatorWarehouse, ratesBucket: 'rates' },
      "ratesBucket belongs to the stage's own warehouse: remove either ratesBucket or warehouse",
    ],
    ['a location in place of a bucket', { ratesBucket: 's3://rates/' }, 'ratesBucket must be the name of a bucket'],
    [
      'a policy without a name',
      { permissionsBoundary: 'arn:aws:iam::111122223333:role/boundary' },
      'permissionsBoundary must be the name or the ARN of a managed policy of IAM, not',
    ],
    ['a path without slashes', { rolePath: 'workloads' }, 'rolePath must be a path of IAM such as /workloads/'],
    ['a list of tags', { tags: [{ Key: 'a', Value: 'b' }] }, 'tags must be an object'],
    ['a tag that is no text', { tags: { CostCenter: 42 } }, 'tags.CostCenter must be a text of up to 256 letters'],
    ['a tag of AWS', { tags: { 'aws:owner': 'a' } }, 'tags.aws:owner must be a tag of 1 to 128 letters'],
    ['the tag of the stage', { tags: { 'Rate-Search-Stage': 'a' } }, 'tags cannot set rate-search-stage'],
    ['tags that IAM takes for one', { tags: { Owner: 'a', owner: 'b' } }, 'tags must have keys that differ in more'],
    [
      'more tags than a resource can have',
      { tags: Object.fromEntries(Array.from({ length: 41 }, (_, index) => [`t${index}`, ''])) },
      'tags must have at most 40 tags, not 41',
    ],
    ['an alias of the key of the catalog', { catalogKeyArn: `${key}:alias/foo` }, 'catalogKeyArn must be the ARN of a'],
    [
      'the name of a zone, which differs between accounts',
      { loads: { zones: ['us-east-1a'] } },
      'loads.zones.0 must be the id of an availability zone such as use1-az1, not "us-east-1a"',
    ],
    ['no zones', { loads: { zones: [] } }, 'loads.zones must name a zone'],
    ['a zone twice', { loads: { zones: ['use1-az1', 'use1-az1'] } }, 'loads.zones must name each zone once'],
    ['another architecture', { loads: { architecture: 'arm' } }, 'loads.architecture must be "arm64" or "x86_64"'],
    ['one address for all', { alarmTargets: 'a@example.com' }, 'alarmTargets must be a list, not "a@example.com"'],
    [
      'the former place of waitingCalls',
      { limits: { waits: 4 } },
      'limits.waits is now a setting of the stage, because it is no limit of organizations: "waitingCalls": <n>',
    ],
    [
      'the former setting alarmEmail',
      { alarmEmail: 'a@example.com' },
      'alarmEmail is now a list: "alarmTargets": ["<address>"]',
    ],
    [
      'more topics than an alarm can notify',
      { alarmTargets: [1, 2, 3, 4, 5].map((index) => `arn:aws:sns:eu-central-1:111122223333:t${index}`) },
      'alarmTargets must have at most 4 topics',
    ],
    [
      'a refresh beyond an hour',
      { warehouse: { ...operatorWarehouse, refreshMinutes: 61 } },
      'warehouse.refreshMinutes must be a whole number from 1 to 60, not 61',
    ],
    [
      'an unknown source of fee schedules',
      { warehouse: { ...operatorWarehouse, feeSchedules: 'load' } },
      'warehouse.feeSchedules must be "loads" or "relation", not "load"',
    ],
    [
      'a warehouse without its names',
      { warehouse: {} },
      'warehouse.workGroup is required; warehouse.database is required',
    ],
    [
      'a number of vCPUs that Fargate does not offer',
      { loads: { vcpus: 3 } },
      'loads.vcpus must be 1 or 2 or 4 or 8 or 16, not 3',
    ],
    ['yes in place of true', { loads: { spot: 'yes' } }, 'loads.spot must be true or false, not "yes"'],
    [
      'an option in another case',
      scheduled({ order: { toc, 'max-failed': 0.1 } }),
      'loads.schedules.0.order.max-failed is not a field here',
    ],
    [
      'plain http in a schedule',
      files('http://payer.example/i.json'),
      'must name https URLs without a signature, not "http://payer.example/i.json"',
    ],
    [
      'a signed URL in a schedule',
      files(`${toc}?a=1&X-Amz-Signature=s3cret`),
      `loads.schedules.0.order must name https URLs without a signature, not "${toc}…"`,
    ],
    [
      'credentials in a schedule',
      files('https://me:s3cret@payer.example/i.json'),
      'loads.schedules.0.order must name https URLs without a signature, not "https:…payer.example/i.json"',
    ],
  ])('refuses %s in one line that names the field, the value and the rule', (_, content, fault) => {
    expect(refused(content)).toThrow(fault)
    expect(refused(content)).not.toThrow(/Invalid|s3cret|\n/)
  })

  it.each([
    'cron(0 3 6 * ? *)',
    'a b c d e f',
    '0 3 6 * * *',
    '0 3 ? * ? *',
    '60 3 6 * ? *',
    '0 24 6 * ? *',
    '0 3 32 * ? *',
    '0 3 6 13 ? *',
    '0 3 6 FOO ? *',
    '0 3 ? * 8 *',
    '0 3 6 * ?',
    '0 3 6 * ? * *',
    '0 3 6 * ? 1969',
    '0 3/0 6 * ? *',
  ])('cannot have the schedule "%s"', (cron) => {
    expect(refused(scheduled({ cron, order: { toc } }))).toThrow(
      `loads.schedules.0.cron must be six fields of a cron expression of AWS, such as 0 3 6 * ? *, not "${cron}"`,
    )
  })

  it.each([
    '0 3 6 * ? *',
    '*/15 8-17 ? * MON-FRI *',
    '0,30 3 L JAN,jul ? 2026-2030',
    '0 3 LW * ? *',
    '0 3 15W * ? *',
    '0 3 ? 1/3 2#1 *',
    '0 3 ? * 6L *',
  ])('can have the schedule "%s"', (cron) => {
    const { loads } = parseStage('own', scheduled({ cron, order: { toc } }))
    expect(loads?.schedules.map((schedule) => schedule.cron)).toEqual([cron])
  })

  it.each(['', 'a b', 'a_b', 'x'.repeat(65)])('cannot be called "%s"', (name) => {
    expect(refused({}, name)).toThrow('its name must have 1 to 64 letters, digits and hyphens')
  })

  it('gives the stage the name of the file', () => {
    const path = join(folder, 'acme-prod.json')
    writeFileSync(path, '{}')
    expect(readStageFile(path).name).toBe('acme-prod')
  })

  it('refuses a file that is not JSON or does not exist, in one line', () => {
    const path = join(folder, 'broken.json')
    writeFileSync(path, '{')
    expect(() => readStageFile(path)).toThrow(/^the stage "broken" is not valid: .*broken\.json cannot be read: .*$/)
    expect(() => readStageFile(join(folder, 'absent.json'))).toThrow(/absent\.json cannot be read: ENOENT/)
  })
})

describe('the command of the synthesis', () => {
  const synthesise = (context: Readonly<Record<string, string>>) => {
    const env = { ...process.env, CDK_CONTEXT_JSON: JSON.stringify(context) }
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin/app.ts')], { env, encoding: 'utf8' })
    return { status, stderr }
  }

  it('ends with one line and exit code 1 if the stage is unknown', () => {
    expect(synthesise({ stage: 'prd' })).toEqual({
      status: 1,
      stderr: `error: there is no stage "prd"; stages/ has ${listStages().join(', ')}\n`,
    })
  })

  it('says which stage it is if none was named', () => {
    const CDK_OUTDIR = mkdtempSync(join(folder, 'unnamed-'))
    const env = { ...process.env, CDK_OUTDIR, CDK_VALIDATION: 'false' }
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'bin/app.ts')], { env, encoding: 'utf8' })
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: 'The stage is dev, because none was named: choose one with -c stage=<name>\n',
    })
    expect(existsSync(join(CDK_OUTDIR, 'SearchService.template.json'))).toBe(true)
  })

  it('ends with one line and exit code 1 if the stage file is not valid', () => {
    const path = join(folder, 'unfit.json')
    writeFileSync(path, JSON.stringify({ retentionDays: 0 }))
    expect(synthesise({ stageFile: path })).toEqual({
      status: 1,
      stderr: 'error: the stage "unfit" is not valid: retentionDays must be a whole number from 1 to 3650, not 0\n',
    })
  })
})

describe('the JSON schema of stage files', () => {
  it('matches the output of npm run schema', () => {
    const written = JSON.parse(readFileSync(join(root, 'stages/stage.schema.json'), 'utf8'))
    expect(written).toEqual(describeStageFile())
  })
})
