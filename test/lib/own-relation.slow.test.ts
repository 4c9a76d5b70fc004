import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { App } from 'aws-cdk-lib'
import { Match, Template } from 'aws-cdk-lib/assertions'
import { afterAll, describe, expect, it } from 'vitest'
import { SearchService } from '../../lib/search-service.ts'
import type { WarehouseDescription } from '../../lib/stage/warehouse-description.ts'
import { ratesColumns, relationColumns } from '../../schema/columns/rates.ts'
import { defaultStage, listVariables } from '../templates/templates.ts'

const outdir = mkdtempSync(join(tmpdir(), 'own-relation-'))
afterAll(() => rmSync(outdir, { recursive: true }))

const required = ratesColumns.filter((column) => column.required).map(({ name }) => name)

/** Returns the template for an operator's warehouse; a test sets only the fields that matter to it. */
function synthesise(facts: Partial<WarehouseDescription>): Template {
  const warehouse: WarehouseDescription = {
    workGroup: 'own',
    database: 'own_rates',
    queryResults: 's3://own-query-results/',
    dataLocations: ['s3://own-rates/'],
    ...facts,
  }
  const app = new App({ outdir: mkdtempSync(join(outdir, 'app-')) })
  return Template.fromStack(new SearchService(app, 'SearchService', { ...defaultStage, warehouse }))
}

const searchesRead = (template: Template, columns: string) => {
  for (const name of ['create-search', 'estimate-search', 'start-query'])
    template.hasResourceProperties('AWS::Lambda::Function', {
      Description: `rate search: ${name}`,
      Environment: { Variables: Match.objectLike({ RATES_COLUMNS: columns }) },
    })
}

/** Returns the resources of the Glue Data Catalog that a role may read. */
function glueResources(template: Template, role = 'StartQueryRole'): readonly string[] {
  const policies = JSON.stringify(
    Object.entries(template.findResources('AWS::IAM::Policy')).filter(([id]) => id.startsWith(role)),
  )
  const resources = [...policies.matchAll(/":((?:catalog|database\/|table\/)[^"]*)"/g)].map(
    ([, resource = '']) => resource,
  )
  return [...new Set(resources)].sort()
}

const operationsOf = (template: Template) =>
  Object.values(template.findResources('AWS::Lambda::Function')).map(({ Properties }) => String(Properties.Description))

describe("a stage with an operator's relation", () => {
  it('passes the columns of the relation to searches and estimates, without a timer by default', () => {
    const template = synthesise({ columns: [...required, 'name'] })
    expect(() => searchesRead(template, [...required, 'name'].join())).not.toThrow()
    expect(operationsOf(template)).not.toContain('rate search: refresh-fee-schedules')
  })

  it('adds a timer if a relation lists the fee schedules, and its searches read no sources', () => {
    const template = synthesise({ feeSchedules: 'relation', refreshMinutes: 30 })
    expect(() =>
      template.hasResourceProperties('AWS::Lambda::EventInvokeConfig', {
        FunctionName: { Ref: Match.stringLikeRegexp('^RefreshFeeSchedules') },
        MaximumRetryAttempts: 0,
      }),
    ).not.toThrow()
    expect(() => searchesRead(template, relationColumns.map(({ name }) => name).join())).not.toThrow()
    expect(() => {
      template.hasResourceProperties('AWS::Events::Rule', { ScheduleExpression: 'rate(30 minutes)' })
      template.hasResourceProperties('AWS::CloudWatch::Alarm', {
        AlarmDescription: Match.stringLikeRegexp('"FeeSchedulesStale"'),
      })
    }).not.toThrow()
  })

  it('refreshes the catalogue for a search that misses, and restarts the search after any outcome', () => {
    const template = synthesise({ feeSchedules: 'relation' })
    const [machine] = Object.values(template.findResources('AWS::StepFunctions::StateMachine'))
    const text = JSON.stringify(machine?.['Properties'].DefinitionString)
      .replaceAll('\\\\"', '"')
      .replaceAll('\\"', '"')
    expect(text).toMatch(/"StringEquals":"refresh","Next":"RefreshFeeSchedules"/)
    const [, state = ''] = /"RefreshFeeSchedules":\{(.*?)"Resource"/.exec(text) ?? []
    expect(state).toContain('"Next":"StartQuery"')
    expect(state).toContain('"Catch":[{"ErrorEquals":["States.ALL"],"ResultPath":null,"Next":"StartQuery"}]')
    expect(state).toContain('"ResultPath":null')
    expect(() =>
      template.hasResourceProperties('AWS::Lambda::Function', {
        Description: 'rate search: start-query',
        Environment: { Variables: Match.objectLike({ FEE_SCHEDULES: 'relation' }) },
      }),
    ).not.toThrow()
    const policies = Object.entries(template.findResources('AWS::IAM::Policy'))
    const invoked = policies.flatMap(([id, { Properties }]) =>
      id.startsWith('WorkflowMachineRole') ? [JSON.stringify(Properties.PolicyDocument)] : [],
    )
    expect(invoked.join()).toMatch(/"Fn::GetAtt":\["RefreshFeeSchedules[0-9A-F]{8}","Arn"\]\},":\*"/)
  })

  it('allows the timer only to read the warehouse and change the catalogue', () => {
    const policies = synthesise({ feeSchedules: 'relation' }).findResources('AWS::IAM::Policy')
    const [policy] = Object.entries(policies).flatMap(([id, { Properties }]) =>
      id.startsWith('RefreshFeeSchedules') ? [JSON.stringify(Properties.PolicyDocument)] : [],
    )
    const actions = [...(policy ?? '').matchAll(/"([a-z0-9]+:[A-Z]\w+)"/g)].map(([, action]) => action)
    expect([...new Set(actions)].sort()).toEqual([
      'athena:GetQueryExecution',
      'athena:GetQueryResults',
      'athena:StartQueryExecution',
      'athena:StopQueryExecution',
      'dynamodb:BatchGetItem',
      'dynamodb:DeleteItem',
      'dynamodb:PutItem',
      'dynamodb:Scan',
      'glue:BatchGetPartition',
      'glue:GetDatabase',
      'glue:GetPartition',
      'glue:GetPartitions',
      'glue:GetTable',
      'logs:CreateLogStream',
      'logs:PutLogEvents',
      's3:AbortMultipartUpload',
      's3:GetBucketLocation',
      's3:GetObject',
      's3:ListBucket',
      's3:ListBucketMultipartUploads',
      's3:ListMultipartUploadParts',
      's3:PutObject',
    ])
    expect(policy).not.toContain('"Resource":"*"')
  })

  it('gives the timer exactly the variables that it reads', () => {
    const [refresh] = Object.values(
      synthesise({ feeSchedules: 'relation' }).findResources('AWS::Lambda::Function', {
        Properties: { Description: 'rate search: refresh-fee-schedules' },
      }),
    )
    expect(Object.keys(refresh?.['Properties'].Environment.Variables).sort()).toEqual(
      listVariables('refresh-fee-schedules'),
    )
  })

  it('allows searches to read the other databases it names, and no more', () => {
    expect(glueResources(synthesise({ databases: ['shared_rates', 'reference'] }))).toEqual([
      'catalog',
      'database/default',
      'database/own_rates',
      'database/reference',
      'database/shared_rates',
      'table/own_rates/*',
      'table/reference/*',
      'table/shared_rates/*',
    ])
  })

  it('adds a role for check-warehouse with the read permissions of searches', () => {
    const template = synthesise({ databases: ['shared_rates'] })
    expect(glueResources(template, 'WarehouseReader')).toEqual(glueResources(template))
    const roles = Object.entries(template.findResources('AWS::IAM::Role'))
    const [reader] = roles.flatMap(([id, { Properties }]) => (id.startsWith('WarehouseReader') ? [Properties] : []))
    expect(JSON.stringify(reader?.AssumeRolePolicyDocument)).toContain('"AWS::AccountId"},":root"')
    expect(() => template.hasOutput('WarehouseReaderRole', {})).not.toThrow()
  })
})

describe('any other stage', () => {
  it('reads all columns, with sources, without a timer', () => {
    const template = synthesise({})
    expect(() => searchesRead(template, 'all')).not.toThrow()
    expect(JSON.stringify(template.findResources('AWS::StepFunctions::StateMachine'))).not.toContain('refresh')
    expect(operationsOf(template)).not.toContain('rate search: refresh-fee-schedules')
  })
})
