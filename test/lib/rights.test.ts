import { describe, expect, it } from 'vitest'
import { routes } from '../../contract/routes.ts'
import type { WarehouseDescription } from '../../lib/stage/warehouse-description.ts'
import { actionsOn, principalsOf, roleOf, type Statement, statementsOf } from '../templates/policies.ts'
import {
  at,
  deployedEnvironments,
  deployedOperations,
  dev,
  everyStage,
  guarded,
  guardedStage,
  listOf,
  named,
  ofType,
  pascal,
  render,
  synthesise,
} from '../templates/templates.ts'

/** Names and places of a warehouse of the operator, whose fee schedules a function reads. */
const ownWarehouse: WarehouseDescription = {
  ...{ workGroup: 'own', database: 'own_rates', queryResults: 's3://own-query-results/' },
  ...{ dataLocations: ['s3://own-rates/'], feeSchedules: 'relation' },
}

const operations = deployedOperations
/** The calls whose answers have download URLs. */
const signing: readonly string[] = ['get-search', 'get-manifest']
const workflowSteps = ['start-query', 'await-query', 'publish-results', 'record-failure']

describe.each(everyStage)('in the stage "%s"', (_, synthesised) => {
  const roles = () => {
    const { service } = synthesised()
    const ids = ofType(service, 'AWS::IAM::Role').map(({ id }) => id)
    return ids.map((id) => ({ id, statements: statementsOf(service, id) }))
  }
  const rightsOf = (operation: string) => {
    const { service } = synthesised()
    return statementsOf(service, roleOf(service, pascal(operation)))
  }
  const signer = () => named(synthesised().service, 'AWS::IAM::Role', 'SignDownloads').id

  it('allows on every resource only actions without resource-level permissions: log delivery, and reading jobs of Batch', () => {
    const anywhere = roles().flatMap(({ id, statements }) =>
      statements
        .filter(({ resources }) => resources.includes('*'))
        .flatMap(({ actions }) => actions.map((action) => `${id.replace(/[0-9A-F]{8}$/, '')} ${action}`)),
    )
    expect(anywhere).toContain('WorkflowMachineRole logs:CreateLogDelivery')
    const delivery =
      /^(Loads)?WorkflowMachineRole logs:(\w+LogDelivery|ListLogDeliveries|\w+ResourcePolic(y|ies)|DescribeLogGroups)$/
    const others = anywhere.filter((right) => !delivery.test(right))
    expect(others).toEqual(synthesised === dev ? [] : ['LoadsWorkflowMachineRole batch:DescribeJobs'])
  })

  it('gives no role wildcard actions or AWS managed policies', () => {
    const { service } = synthesised()
    const ours = roles().filter(({ id }) => operations.some((operation) => id === roleOf(service, pascal(operation))))
    expect(ours).toHaveLength(operations.length)
    const wide = ours.flatMap(({ statements }) => statements.flatMap(({ actions }) => actions))
    expect(
      wide.filter((action) => action.includes('*') && !/^kms:(GenerateDataKey|ReEncrypt)\*$/.test(action)),
    ).toEqual([])
    for (const { id } of ours)
      expect(service.find((each) => each.id === id)?.properties['ManagedPolicyArns']).toBeUndefined()
  })

  it('gives every function a separate role, which only Lambda may assume', () => {
    const { service } = synthesised()
    const ids = operations.map((operation) => roleOf(service, pascal(operation)))
    expect(new Set(ids).size).toBe(operations.length)
    for (const id of ids) expect(principalsOf(service, id)).toEqual([{ Service: 'lambda.amazonaws.com' }])
    for (const { properties } of ofType(service, 'AWS::IAM::Policy'))
      expect(listOf(properties['Roles'])).toHaveLength(1)
  })

  it.each(operations)('lets %s write only to its log', (operation) => {
    const logged = rightsOf(operation).filter(({ actions }) => actions.some((action) => action.startsWith('logs:')))
    expect(logged.flatMap(({ resources }) => resources)).toEqual([
      expect.stringMatching(new RegExp(`^<${pascal(operation)}Logs[0-9A-F]{8}\\.Arn>$`)),
    ])
  })

  it.each(signing)('gives %s no access to S3, and lets it assume only the signing role', (operation) => {
    const actions = rightsOf(operation).flatMap((statement) => statement.actions)
    expect(actions.filter((action) => action.startsWith('s3:'))).toEqual([])
    const becomes = rightsOf(operation).filter((statement) => statement.actions.includes('sts:AssumeRole'))
    expect(becomes.flatMap(({ resources }) => resources)).toEqual([`<${signer()}.Arn>`])
  })

  it('lets the signing role only read results', () => {
    const { service } = synthesised()
    const reads = statementsOf(service, signer()).filter(
      (statement) => !statement.actions.every((each) => each.startsWith('kms:')),
    )
    expect(reads).toEqual([
      {
        effect: 'Allow',
        actions: ['s3:GetObject'],
        resources: [expect.stringMatching(/^<Results[0-9A-F]{8}\.Arn>\/results\/\*$/)],
        conditional: false,
      },
    ])
  })

  it('lets only the calls that sign downloads assume the signing role', () => {
    const { service } = synthesised()
    const trusted = principalsOf(service, signer()).flatMap((principal) => listOf(at(principal, 'AWS')).map(render))
    expect(trusted.toSorted()).toEqual(signing.map((each) => `<${roleOf(service, pascal(each))}.Arn>`).sort())
    const others = operations.filter((operation) => !signing.includes(operation)).flatMap(rightsOf)
    expect(others.filter(({ actions }) => actions.some((action) => action.startsWith('sts:')))).toEqual([])
  })

  it('gives a function permissions only on the tables that its environment names', () => {
    const tablesByVariable = {
      ACCESS_TABLE: 'Access',
      CATALOGUE_TABLE: 'FeeSchedules',
      CONTENTS_TABLE: 'Contents',
      JOBS_TABLE: 'Jobs',
      WEBHOOKS_TABLE: 'Webhooks',
    }
    const rights = (operation: string, table: string) =>
      actionsOn(rightsOf(operation), new RegExp(`^<Tables${table}[0-9A-F]{8}\\.Arn>`)).length > 0
    for (const [operation, variables] of deployedEnvironments) {
      for (const [variable, table] of Object.entries(tablesByVariable))
        expect([operation, table, rights(operation, table)]).toEqual([operation, table, variables.includes(variable)])
    }
  })

  it('gives access to S3 only to functions that write, delete or read results, or read providers', () => {
    const touching = operations.filter((operation) =>
      rightsOf(operation).some(({ actions }) => actions.some((action) => action.startsWith('s3:'))),
    )
    expect(touching).toEqual(['get-rows', 'delete-search', 'list-providers', 'start-query', 'publish-results'])
    for (const reading of ['get-rows', 'list-providers']) {
      const actions = rightsOf(reading).flatMap((statement) => statement.actions)
      expect(actions.filter((action) => action.startsWith('s3:'))).toEqual(['s3:GetObject'])
    }
    const writing = touching.filter((operation) => operation !== 'delete-search')
    const actions = writing.flatMap(rightsOf).flatMap((statement) => statement.actions)
    expect(actions.filter((action) => /^s3:(Delete|PutBucket|PutObjectAcl)/.test(action))).toEqual([])
  })

  it('gives start-query the permissions that Athena needs to write results and manifests', () => {
    const { service } = synthesised()
    const statements = statementsOf(service, roleOf(service, 'StartQuery'))
    const writing = ['s3:AbortMultipartUpload', 's3:GetObject', 's3:ListMultipartUploadParts', 's3:PutObject']
    const onBucket = ['s3:GetBucketLocation', 's3:ListBucket', 's3:ListBucketMultipartUploads']
    expect(actionsOn(statements, /^<Results[0-9A-F]{8}\.Arn>\/results\/\*$/)).toEqual(writing)
    expect(actionsOn(statements, /^<Results[0-9A-F]{8}\.Arn>$/)).toEqual(onBucket)
    const s3 = statements.filter(({ actions }) => actions.every((action) => action.startsWith('s3:')))
    expect(actionsOn(s3, /QueryResults[^/]*\/\*$/)).toEqual(writing)
    expect(actionsOn(s3, /QueryResults[^/]*$/)).toEqual(onBucket)
  })

  it('lets delete-search list and delete results, but neither read nor write any, nor list other objects', () => {
    const { service } = synthesised()
    const touching = rightsOf('delete-search').filter(({ actions }) => actions.some((action) => /^s3:/.test(action)))
    expect(touching).toEqual([
      {
        effect: 'Allow',
        actions: ['s3:DeleteObject'],
        resources: [expect.stringMatching(/^<Results[0-9A-F]{8}\.Arn>\/results\/\*$/)],
        conditional: false,
      },
      {
        effect: 'Allow',
        actions: ['s3:ListBucket'],
        resources: [expect.stringMatching(/^<Results[0-9A-F]{8}\.Arn>$/)],
        conditional: true,
        condition: expect.anything(),
      },
    ])
    const conditions = ofType(service, 'AWS::IAM::Policy')
      .filter(({ id }) => id.startsWith('DeleteSearchRole'))
      .flatMap(({ properties }) => listOf(at(properties['PolicyDocument'], 'Statement')))
      .filter((statement) =>
        listOf(at(statement, 'Action'))
          .map(render)
          .some((action) => action.startsWith('s3:')),
      )
      .flatMap((statement) => at(statement, 'Condition') ?? [])
    expect(conditions).toEqual([{ StringLike: { 's3:prefix': 'results/*' } }])
  })

  it.each(['cancel-search', 'record-failure'] as const)(
    'lets %s stop queries, but neither start nor read them',
    (one) => {
      const actions = rightsOf(one).flatMap((statement) => statement.actions)
      expect(actions.filter((action) => /^(athena|glue|s3|states):/.test(action))).toEqual([
        'athena:StopQueryExecution',
      ])
    },
  )

  it('lets a call read keys if its route requires one, and no other function', () => {
    const reading = operations.filter((operation) =>
      actionsOn(rightsOf(operation), /^<TablesAccess[0-9A-F]{8}\.Arn>$/).includes('dynamodb:BatchGetItem'),
    )
    const expected = new Set<string>(routes.filter(({ auth }) => auth === 'key').map(({ operation }) => operation))
    expect(new Set(reading)).toEqual(expected.add('serve-assistants'))
  })

  it('lets only delete-search delete jobs', () => {
    const removing = operations.filter((operation) =>
      actionsOn(rightsOf(operation), /^<TablesJobs/).includes('dynamodb:DeleteItem'),
    )
    expect(removing).toEqual(['delete-search'])
  })

  it('lets the workflow call all versions of its steps, including versions that running executions use', () => {
    const { service } = synthesised()
    const [machine] = ofType(service, 'AWS::StepFunctions::StateMachine')
    const role = render(machine?.properties['RoleArn']).replace(/^<(.*)\.Arn>$/, '$1')
    const callable = statementsOf(service, role)
      .filter(({ actions }) => actions.includes('lambda:InvokeFunction'))
      .flatMap(({ resources }) => resources)
    for (const step of workflowSteps) {
      // A policy for only the newest version would break running executions.
      expect(callable).toContainEqual(expect.stringMatching(new RegExp(`^<${pascal(step)}[0-9A-F]{8}\\.Arn>:\\*$`)))
    }
    const steps = new RegExp(`^<(${workflowSteps.map(pascal).join('|')})(CurrentVersion)?[0-9A-F]{8}`)
    expect(callable.filter((resource) => !steps.test(resource))).toEqual([])
  })
})

describe('with an operator’s encryption key', () => {
  const { encryptionKeyArn = '', catalogKeyArn = '' } = guardedStage
  const onKey = new RegExp(`^${encryptionKeyArn}$`)
  const rights = (operation: string) =>
    actionsOn(statementsOf(guarded().service, roleOf(guarded().service, pascal(operation))), onKey)

  it('lets every role use the key only through the service that stores the data', () => {
    const { service } = guarded()
    const uses = ofType(service, 'AWS::IAM::Role').flatMap(({ id }) =>
      statementsOf(service, id).filter(
        ({ actions, resources }) =>
          actions.some((action) => action.startsWith('kms:')) && !resources.includes(catalogKeyArn),
      ),
    )
    expect(uses.length).toBeGreaterThan(20)
    for (const { actions, resources, condition } of uses) {
      const via = at(condition, 'StringEquals', 'kms:ViaService')
      expect(resources).toEqual([encryptionKeyArn])
      expect(via).toMatch(/^(s3|dynamodb)\.eu-central-1\.amazonaws\.com$/)
      if (render(via).startsWith('s3'))
        expect(actions.filter((action) => !/:(Decrypt|GenerateDataKey)$/.test(action))).toEqual([])
    }
  })

  it('lets exactly the roles that query use the key of the data catalog, as Athena’s guide demands, and only through Glue', () => {
    const { loads: _, ...ownStage } = { ...guardedStage, warehouse: ownWarehouse }
    for (const { service, querying } of [
      { service: guarded().service, querying: ['StartQueryRole'] },
      {
        service: synthesise(ownStage).service,
        querying: ['RefreshFeeSchedulesRole', 'StartQueryRole', 'WarehouseReader'],
      },
    ]) {
      const rolesWith = (is: (statement: Statement) => boolean) =>
        ofType(service, 'AWS::IAM::Role')
          .map(({ id }) => id)
          .filter((id) => statementsOf(service, id).some(is))
      const using = rolesWith(({ resources }) => resources.includes(catalogKeyArn))
      expect(using.map((id) => id.replace(/[0-9A-F]{8}$/, '')).toSorted()).toEqual(querying)
      expect(rolesWith(({ actions }) => actions.some((each) => /^glue:|^athena:Start/.test(each)))).toEqual(using)
      for (const id of using)
        expect(statementsOf(service, id).filter(({ resources }) => resources.includes(catalogKeyArn))).toEqual([
          {
            effect: 'Allow',
            actions: ['kms:Decrypt', 'kms:Encrypt', 'kms:GenerateDataKey'],
            resources: [catalogKeyArn],
            conditional: true,
            condition: { StringEquals: { 'kms:ViaService': 'glue.eu-central-1.amazonaws.com' } },
          },
        ])
    }
  })

  it('lets the signing role decrypt, because a signed URL reads with its permissions', () => {
    const signer = named(guarded().service, 'AWS::IAM::Role', 'SignDownloads').id
    expect(actionsOn(statementsOf(guarded().service, signer), onKey)).toEqual(['kms:Decrypt'])
  })

  it.each(deployedEnvironments)('lets %s decrypt exactly if it uses a table', (operation, variables) => {
    const uses = variables.some((variable) => variable.endsWith('_TABLE'))
    expect(rights(operation).includes('kms:Decrypt')).toBe(uses)
  })

  it('lets every role that writes results generate data keys', () => {
    for (const operation of ['start-query', 'publish-results'])
      expect(rights(operation)).toContainEqual(expect.stringMatching(/^kms:GenerateDataKey/))
  })
})
