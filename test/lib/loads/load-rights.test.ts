import { describe, expect, it } from 'vitest'
import { writableKeys } from '../../../lib/loads/step-keys.ts'
import { deployedTables } from '../../../schema/columns/warehouse-tables.ts'
import { statementsOf } from '../../templates/policies.ts'
import { guarded, loaded, loadedStage, named, synthesise } from '../../templates/templates.ts'

const template = loaded().service

/** Returns a role's rights, one line for each. */
const rightsOf = (role: string, resources = template) =>
  statementsOf(resources, named(resources, 'AWS::IAM::Role', role).id)
    .flatMap(({ actions, resources, condition }) =>
      resources.map(
        (resource) =>
          `${shorten(resource)}: ${actions.join(' ')}${condition === undefined ? '' : ` if ${JSON.stringify(condition)}`}`,
      ),
    )
    .sort()

const shorten = (resource: string) =>
  resource
    .replace(/^arn:<AWS::Partition>:/, '')
    .replace(/\{"Fn::(ImportValue|Sub)":"([^"]+)"\}/g, '$2')
    .replace(/:ExportsOutputRef(\w+?)(?:[0-9A-F]{8})+/g, ':$1')
    .replace(/[0-9A-F]{8}(?=\.Arn>|>)/g, '')
    .replace(/\$\{([\w:]+)\}/g, '<$1>')
    .replace(/[0-9a-f]{64}/, '<hash>')

describe('the rights of loads', () => {
  const assets = 's3:::cdk-hnb659fds-assets-<AWS::AccountId>-<AWS::Region>'
  // The pattern has no hash: a load that runs during an upgrade fetches the previous code.
  const code = [`${assets}/*.mjs: s3:GetObject`]
  const readRecords = '<TablesContents.Arn>: dynamodb:BatchGetItem dynamodb:Query'
  const writeRecords = '<TablesContents.Arn>: dynamodb:DeleteItem dynamodb:PutItem dynamodb:UpdateItem'
  const writeRecordsOf = (keys: readonly string[]) =>
    `${writeRecords} if ${JSON.stringify({ 'ForAllValues:StringLike': { 'dynamodb:LeadingKeys': keys } })}`
  /** Returns the rights to create files of tables, but not to replace any. */
  const create = (...tables: readonly string[]) =>
    tables.flatMap((table) => {
      const files = `s3:::<WarehouseRates>/${table}/*`
      return [
        `${files}: s3:AbortMultipartUpload s3:GetObject`,
        `${files}: s3:PutObject if ${JSON.stringify({ Null: { 's3:if-none-match': 'false' } })}`,
        `${files}: s3:PutObject if ${JSON.stringify({ Bool: { 's3:ObjectCreationOperation': 'false' } })}`,
      ]
    })
  const readCatalogue = '<TablesFeeSchedules.Arn>: dynamodb:BatchGetItem dynamodb:Query dynamodb:Scan'

  it('let plan read the catalogue and record the files to read', () => {
    expect(rightsOf('LoadsPlanRole')).toEqual(
      [
        ...code,
        readRecords,
        writeRecordsOf(writableKeys.plan),
        readCatalogue,
        's3:::<WarehouseRates>: s3:ListBucket',
      ].sort(),
    )
  })

  it('let a worker create files of sources and record them, and neither replace, delete nor activate any', () => {
    expect(rightsOf('LoadsWorkRole')).toEqual(
      [
        ...code,
        readRecords,
        writeRecordsOf(writableKeys.work),
        ...create('negotiated_rates', 'provider_groups'),
        's3:::<WarehouseRates>: s3:ListBucket',
      ].sort(),
    )
  })

  it('let finish upload contents and switch the catalogue, and delete nothing', () => {
    expect(rightsOf('LoadsFinishRole')).toEqual(
      [
        ...code,
        '<TablesContents.Arn>: dynamodb:BatchGetItem dynamodb:DeleteItem dynamodb:PutItem dynamodb:Query dynamodb:UpdateItem',
        '<TablesFeeSchedules.Arn>: dynamodb:BatchGetItem dynamodb:PutItem dynamodb:Query dynamodb:Scan',
        ...create('fee_schedule_sources', 'current_contents'),
        's3:::<WarehouseRates>: s3:ListBucket',
      ].sort(),
    )
  })

  it('let finish delete files and names only if the stage cleans after its loads', () => {
    const deleting = /(?:s3:DeleteObject|dynamodb:DeleteItem)/
    const deletes = (role: string) =>
      rightsOf(role, guarded().service).filter((right) => deleting.test(right) && !right.includes('TablesContents'))
    expect(deletes('LoadsFinishRole').map((right) => right.replace(/: .*/, ''))).toEqual([
      '<TablesFeeSchedules.Arn>',
      ...deployedTables
        .map(({ name }) => name)
        .sort()
        .map((name) => expect.stringMatching(new RegExp(`^s3:::.*Rates.*/${name}/\\*$`))),
    ])
    expect([...deletes('LoadsPlanRole'), ...deletes('LoadsWorkRole')]).toEqual([])
  })

  it('let the workflow submit jobs of its own definitions to its own queues, and no others', () => {
    const { id } = named(template, 'AWS::IAM::Role', 'LoadsWorkflowMachineRole')
    const submitting = statementsOf(template, id).filter(({ actions }) => actions.includes('batch:SubmitJob'))
    const resources = submitting.flatMap((statement) => statement.resources).map(shorten)
    expect(submitting.flatMap(({ actions }) => actions)).toEqual(['batch:SubmitJob'])
    const definition = (step: string) =>
      expect.stringMatching(
        new RegExp(`^batch:<AWS::Region>:<AWS::AccountId>:job-definition/.*"Ref":"Loads${step}Definition\\w+".*:\\*$`),
      )
    const expected = [
      ...['ControlQueue', ''].map(
        (name) => `<${named(template, 'AWS::Batch::JobQueue', `LoadsQueue${name}`).id}.JobQueueArn>`,
      ),
      ...['Plan', 'Work', 'Finish'].map(definition),
    ]
    expect(resources).toHaveLength(expected.length)
    expect(resources).toEqual(expect.arrayContaining(expected))
  })

  it('let the workflow watch and end its jobs, as stopping an execution needs', () => {
    const rights = rightsOf('LoadsWorkflowMachineRole')
    expect(rights).toContainEqual(expect.stringMatching(/^\*: .*batch:DescribeJobs/))
    const ofStage = (key: string) =>
      JSON.stringify({ StringEquals: { [`aws:${key}/rate-search-stage`]: loadedStage.name } })
    const jobs = 'batch:<AWS::Region>:<AWS::AccountId>:job/*'
    expect(rights.filter((right) => right.startsWith(`${jobs}:`))).toEqual([
      `${jobs}: batch:TagResource if ${ofStage('RequestTag')}`,
      `${jobs}: batch:TerminateJob if ${ofStage('ResourceTag')}`,
    ])
    expect(rights.filter((right) => right.startsWith('events:'))).toEqual([
      'events:<AWS::Region>:<AWS::AccountId>:rule/StepFunctionsGetEventsForBatchJobsRule: events:DescribeRule events:PutRule events:PutTargets',
    ])
  })

  it('let Fargate pull the image, if it is in a private registry of ECR', () => {
    const repository = '111122223333.dkr.ecr.eu-central-1.amazonaws.com/mirror/node'
    const { service } = synthesise({ ...loadedStage, loads: { ...loadedStage.loads, image: `${repository}:24` } })
    expect(rightsOf('LoadsExecutionRole', service)).toEqual(
      expect.arrayContaining([
        '*: ecr:GetAuthorizationToken',
        'ecr:eu-central-1:111122223333:repository/mirror/node: ecr:BatchCheckLayerAvailability ecr:BatchGetImage ecr:GetDownloadUrlForLayer',
      ]),
    )
    expect(rightsOf('LoadsExecutionRole').filter((right) => right.includes('ecr:'))).toEqual([])
  })

  it('include the key of the stage, if it has one', () => {
    const { service } = guarded()
    const role = named(service, 'AWS::IAM::Role', 'LoadsWorkRole').id
    const keys = statementsOf(service, role).filter(({ actions }) =>
      actions.every((action) => action.startsWith('kms:')),
    )
    expect(keys.flatMap(({ resources }) => resources)).toEqual(
      expect.arrayContaining([expect.stringMatching(/^arn:aws:kms:/)]),
    )
  })
})
