import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { afterAll, describe, expect, it } from 'vitest'
import type { CatalogEncryption } from '../../../adapters/glue-catalog.ts'
import { describeCatalog } from '../../../bin/account/describe-catalog.ts'
import { describeLimits } from '../../../bin/account/describe-limits.ts'
import { describeKept } from '../../../bin/account/kept-data.ts'
import type { Stage } from '../../../lib/stage/stage.ts'
import { requireStage } from '../../../lib/stage/stage-files.ts'
import { type StackOutputs, startDeployedStacks } from '../../doubles/deployed-stacks.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'
import { loadedStage } from '../../templates/templates.ts'

const folder = mkdtempSync(join(tmpdir(), 'place-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A stage file of these fields. */
function writeStage(name: string, fields: object): string {
  const path = join(folder, `${name}.json`)
  writeFileSync(path, JSON.stringify(fields))
  return path
}

/** Runs a command for the account 111122223333, which has these stacks. */
async function run(
  args: readonly string[],
  {
    stacks = {},
    isProtected = false,
    variables = { AWS_REGION: 'eu-central-1' },
  }: Partial<{
    stacks: StackOutputs
    isProtected: boolean
    variables: Readonly<Record<string, string>>
  }> = {},
) {
  const result = '<GetCallerIdentityResult><Account>111122223333</Account></GetCallerIdentityResult>'
  const body = `<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>`
  await using sts = await startHttpStub(() => ({ status: 200, body }))
  await using cloudFormation = await startDeployedStacks(stacks, isProtected)
  const { AWS_ENDPOINT_URL: _, AWS_REGION: __, ...rest } = process.env
  const child = spawn(process.execPath, args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: {
      ...rest,
      ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
      ...{ AWS_ENDPOINT_URL_STS: sts.url, AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url },
      ...variables,
    },
  })
  const [errors, [exitCode]] = await Promise.all([text(child.stderr), once(child, 'close')])
  return { errors, exitCode }
}

const stacks = { 'SearchService-prod': { JobsTable: 'jobs' } }

describe.each([
  ['deploy', 'Deploying'],
  ['destroy', 'Destroying'],
])('npm run %s', (command, action) => {
  const start = (path: string) => [`bin/${command}.ts`, '--stage-file', path, '--yes']

  it('says in which account and region, also if only the CDK and the AWS CLI know the region', async () => {
    for (const variable of ['AWS_REGION', 'AWS_DEFAULT_REGION']) {
      const { errors } = await run(start(writeStage('none', {})), { variables: { [variable]: 'eu-west-3' } })
      expect(errors).toContain(`${action} the stage none in the account 111122223333, region eu-west-3\n`)
    }
  })

  it('refuses another account or region than the stage file names', async () => {
    const path = writeStage('pinned', { account: '999999999999', region: 'us-east-1' })
    const { errors, exitCode } = await run(start(path))
    expect(errors).toBe(
      'error: the stage "pinned" belongs elsewhere: its account is 999999999999, and the settings of the AWS SDK say ' +
        '111122223333; its region is us-east-1, and the settings of the AWS SDK say eu-central-1: set AWS_PROFILE and AWS_REGION\n',
    )
    expect(exitCode).toBe(1)
  })
})

describe('npm run deploy', () => {
  it.each(['--profile', '--profile=other', '--region=us-east-1'])('refuses %s for the CDK alone', async (option) => {
    const { errors, exitCode } = await run(['bin/deploy.ts', '--stage', 'dev', '--yes', '--', option])
    expect(errors).toContain(`${option} would reach only the CDK: set AWS_PROFILE and AWS_REGION instead`)
    expect(exitCode).toBe(2)
  })

  it.each(['--app', '-a', '--output=cdk.out'])('refuses %s, which is not what it compared', async (option) => {
    const { errors, exitCode } = await run(['bin/deploy.ts', '--stage', 'dev', '--yes', '--', option])
    expect(errors).toContain(`${option} would deploy something else than was compared: leave it out`)
    expect(exitCode).toBe(2)
  })

  it('refuses to weaken a protection that it does not know', async () => {
    const { errors, exitCode } = await run(['bin/deploy.ts', '--stage', 'dev', '--yes', '--allow', 'alarms,all'])
    expect(errors).toMatch(
      /^error: --allow takes a list of termination-protection, data, .*, not "all" \(see --help\)$/m,
    )
    expect(exitCode).toBe(2)
  })

  it('looks for the stack of the bootstrap under its own name', async () => {
    const named = ['--', '--toolkit-stack-name', 'OurToolkit']
    const { errors } = await run(['bin/deploy.ts', '--stage', 'dev', '--yes', ...named], {
      stacks: { CDKToolkit: {} },
    })
    expect(errors).toContain('the CDK is not prepared in this account and region')
  })
})

describe('npm run destroy', () => {
  const destroy = (fields: object) => ['bin/destroy.ts', '--stage-file', writeStage('prod', fields), '--yes']

  it('fails for a missing stage, and says where it looked', async () => {
    const { errors, exitCode } = await run(destroy({}))
    expect(errors).toContain('error: the stage prod is not deployed in the account 111122223333, region eu-central-1\n')
    expect(exitCode).toBe(1)
  })

  it('destroys nothing of a protected stage, and says how to remove the protection', async () => {
    const { errors, exitCode } = await run(destroy({}), { stacks, isProtected: true })
    expect(errors).toContain(
      'error: SearchService-prod: protected from deletion, because the stage is not disposable. ' +
        'To destroy it, first: aws cloudformation update-termination-protection --no-enable-termination-protection --stack-name SearchService-prod\n',
    )
    expect(exitCode).toBe(1)
  })

  const outputs = {
    ...{ AccessTable: 'access-1', ContentsTable: 'contents-1', CatalogueTable: 'plans-1', JobsTable: 'jobs-1' },
    ...{ WebhooksTable: 'webhooks-1', ResultsBucket: 'results-1', RatesLocation: 's3://rates/', ApiId: 'gone' },
  }

  it('names what a kept stage leaves behind, the commands that bring it back, and that the API moves', () => {
    const kept = describeKept({ ...loadedStage, name: 'prod' }, outputs, '--stage prod')
    expect(kept.split('\n')).toEqual([
      '; it kept:',
      '  AccessTable: access-1',
      '  ContentsTable: contents-1',
      '  CatalogueTable: plans-1',
      '  JobsTable: jobs-1',
      '  WebhooksTable: webhooks-1',
      '  ResultsBucket: results-1',
      '  RatesLocation: s3://rates/',
      'To bring it back (docs/restoring.md):',
      '  add "ratesBucket": "rates" to the stage file',
      '  npm run deploy -- --stage prod',
      '  npm run restore -- --stage prod --access access-1 --contents contents-1 --fee-schedules plans-1 --jobs jobs-1 --webhooks webhooks-1 --dry-run',
      'The API then has another address: clients must be told, unless its stage file names a customDomain.',
    ])
  })

  it('names no bucket of rates over a warehouse of the operator, and no other address if it has a domain', () => {
    const customDomain = { name: 'rates.example.com', certificateArn: 'arn:aws:acm:x:1:certificate/1' }
    const { RatesLocation: _, ...others } = outputs
    const kept = describeKept({ name: 'prod', customDomain }, others, '--stage prod')
    expect(kept).toContain('--access access-1 --contents contents-1 --fee-schedules plans-1 ')
    expect(kept).not.toMatch(/another address|ratesBucket/)
  })
})

it('refuses another account than the stage file names, also if the CDK itself synthesises', async () => {
  const stageFile = writeStage('pinned', { account: '999999999999' })
  const context = { CDK_CONTEXT_JSON: JSON.stringify({ stageFile }), CDK_DEFAULT_ACCOUNT: '111122223333' }
  const { errors, exitCode } = await run(['bin/app.ts'], { variables: context })
  expect(errors).toMatch(/^error: the stage "pinned" belongs elsewhere: its account is 999999999999, /)
  expect(exitCode).toBe(1)
})

describe('the limits of an account', () => {
  const enough = { lambdaConcurrency: 1000, athenaQueryMinutes: 120, fargateSpot: 80, fargateOnDemand: 80 }
  const describeWith = (values: Partial<Record<keyof typeof enough, number | undefined>>, stage: Stage = loadedStage) =>
    describeLimits(stage, async (name) => ({ ...enough, ...values })[name])

  it('stay unmentioned if they suffice', async () => {
    expect(await describeWith({})).toEqual([])
  })

  it('appear with their effect if a stage could use more', async () => {
    const few = { lambdaConcurrency: 10, athenaQueryMinutes: 30, fargateSpot: 6, fargateOnDemand: 1 }
    expect(await describeWith(few)).toEqual([
      'the quota "Lambda, Concurrent executions" is 10, the stage uses up to 70: searches of one organization use up the rest; set "fewFunctions": true in the stage file until the quota is raised',
      'the quota "Athena, DML query timeout" is 30, the stage uses up to 120: Athena ends queries before runningHours 2',
      'the quota "Fargate, vCPUs (Spot and On-Demand)" is 7, the stage uses up to 80: workers of loads wait',
      'the quota "Fargate, On-Demand vCPUs" is 1, the stage uses up to 2: no load can plan or finish',
    ])
  })

  it('suffice at ten concurrent functions with fewFunctions, and need no such setting from 50 on', async () => {
    const sparing = { ...loadedStage, fewFunctions: true }
    expect(await describeWith({ lambdaConcurrency: 10 }, sparing)).toEqual([])
    expect((await describeWith({ lambdaConcurrency: 9 }, sparing)).join()).toContain('is 9, the stage uses up to 10')
    expect((await describeWith({ lambdaConcurrency: 49 })).join()).toContain('set "fewFunctions": true')
    expect((await describeWith({ lambdaConcurrency: 50 })).join()).not.toContain('fewFunctions')
  })

  it('count as unknown, without a failure, if they may not be read', async () => {
    expect(await describeWith({ athenaQueryMinutes: undefined })).toEqual([
      'the quota "Athena, DML query timeout" is unknown (servicequotas:GetServiceQuota); the stage uses up to 120',
    ])
  })

  it('exclude those of Fargate for a stage without loads', async () => {
    const read: string[] = []
    await describeLimits(requireStage('dev'), async (name) => {
      read.push(name)
      return 10_000
    })
    expect(read).toEqual(['lambdaConcurrency', 'athenaQueryMinutes'])
  })
})

describe('the data catalog of an account', () => {
  const id = 'ca7a1090-0000-4000-8000-000000000000'
  const key = `arn:aws:kms:eu-central-1:111122223333:key/${id}`
  const describeWith = (encryption: CatalogEncryption | undefined, catalogKeyArn?: string) =>
    describeCatalog({ ...(catalogKeyArn !== undefined && { catalogKeyArn }) }, async () => encryption)

  it('needs no setting if it has no key, the key of AWS for Glue, or a role that uses the key', async () => {
    for (const encryption of [
      { mode: 'DISABLED' },
      { mode: 'SSE-KMS' },
      { mode: 'SSE-KMS', key: 'alias/aws/glue' },
      { mode: 'SSE-KMS', key: 'arn:aws:kms:eu-central-1:111122223333:alias/aws/glue' },
      { mode: 'SSE-KMS-WITH-SERVICE-ROLE', key },
    ])
      expect(await describeWith(encryption)).toEqual([])
  })

  it('needs no other setting if the stage has the key, however the account names it', async () => {
    for (const name of [key, id, 'alias/catalog', 'arn:aws:kms:eu-central-1:111122223333:alias/catalog'])
      expect(await describeWith({ mode: 'SSE-KMS', key: name }, key)).toEqual([])
    // Objects of the catalog stay encrypted when its encryption is switched off.
    expect(await describeWith({ mode: 'DISABLED' }, key)).toEqual([])
  })

  it('appears with the field and its value if it has a key that the stage lacks', async () => {
    expect(await describeWith({ mode: 'SSE-KMS', key })).toEqual([
      `the Glue Data Catalog is encrypted with the key ${key}, and the stage has no catalogKeyArn, so that every search fails as internal: set "catalogKeyArn" in the stage file to "${key}"`,
    ])
    for (const name of [id, 'alias/catalog', 'arn:aws:kms:eu-central-1:111122223333:alias/catalog'])
      expect((await describeWith({ mode: 'SSE-KMS', key: name })).join()).toContain(
        `set "catalogKeyArn" in the stage file to what aws kms describe-key --key-id ${name} --query KeyMetadata.Arn prints`,
      )
  })

  it('appears with both keys if the stage has another', async () => {
    const other = key.replace('ca7a', '0000')
    for (const name of [key, id])
      expect((await describeWith({ mode: 'SSE-KMS', key: name }, other)).join()).toContain(
        `and catalogKeyArn is ${other},`,
      )
  })

  it('counts as unknown, without a failure, if it may not be read', async () => {
    expect(await describeWith(undefined)).toEqual([
      'the encryption of the Glue Data Catalog is unknown (glue:GetDataCatalogEncryptionSettings); with a key of its own, the stage needs catalogKeyArn',
    ])
  })
})
