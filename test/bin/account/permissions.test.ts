import { describe, expect, it } from 'vitest'
import { importsOf, readSources, readText } from '../../templates/source-files.ts'

const sources = new Map(readSources().map((source) => [source.path, source]))

const dynamo: Readonly<Record<string, string>> = {
  ...{ BatchGet: 'BatchGetItem', Delete: 'DeleteItem', Get: 'GetItem', Put: 'PutItem', Update: 'UpdateItem' },
  TransactWrite: 'PutItem',
}

const services: readonly (readonly [file: RegExp, service: string])[] = [
  [/dynamodb\//, 'dynamodb'],
  [/s3\//, 's3'],
  [/athena\//, 'athena'],
  [/stage-resources/, 'resource'],
  [/batch-/, 'batch'],
  [/sfn-/, 'states'],
  [/cfn-/, 'cloudformation'],
  [/sqs-/, 'sqs'],
  [/cloudwatch-/, 'cloudwatch'],
  [/eventbridge-/, 'events'],
  [/quotas/, 'servicequotas'],
  [/glue-/, 'glue'],
  [/ec2-/, 'ec2'],
  [/caller|assume-role/, 'sts'],
]

/** Actions of IAM whose names are not those of the call. */
const renamed: Readonly<Record<string, string>> = {
  's3:HeadBucket': 's3:ListBucket',
  's3:ListObjectsV2': 's3:ListBucket',
  's3:DeleteObjects': 's3:DeleteObject',
  'sqs:Invoke': 'lambda:InvokeFunction',
  'resource:DescribeStateMachine': 'states:DescribeStateMachine',
  'resource:GetFunctionConfiguration': 'lambda:GetFunctionConfiguration',
  'resource:DescribeTable': 'dynamodb:DescribeTable',
  'resource:HeadBucket': 's3:ListBucket',
  'resource:GetQueueAttributes': 'sqs:GetQueueAttributes',
  'resource:GetWorkGroup': 'athena:GetWorkGroup',
  'resource:DescribeJobQueues': 'batch:DescribeJobQueues',
}

/** Calls in the code of a command that it does not make on a deployed stage, each with the reason. */
const unmade: readonly (readonly [call: RegExp, reason: string])[] = [
  [/sts:GetCallerIdentity/, 'It needs no right.'],
  [
    /s3-objects\.ts s3:(CreateBucket|PutObject|GetObject|ListBucket)$/,
    'For the local service, or stated for the bucket it asks.',
  ],
  [/^destroy .*cloudformation:GetTemplate$/, 'It compares nothing.'],
  [/^keys .*dynamodb\/(catalogue|loads)\//, 'It touches neither loads nor the catalogue.'],
  [/^(keys|smoke) .*s3-result-files\.ts s3:/, 'It deletes results. Smoke reads them by their URLs.'],
  [/^(check-warehouse|status|webhooks) .*s3-(prefix|warehouse-files)\.ts s3:/, 'It touches no files of the warehouse.'],
  [/^restore .*s3-prefix\.ts s3:DeleteObject/, 'It looks at results, and deletes none.'],
  [/^nppes .*dynamodb:(Query|Scan|UpdateItem|DeleteItem)$/, 'It reads and puts a single item.'],
  [/^smoke .*athena:StopQueryExecution/, 'It stops no query.'],
  [/^smoke .*sfn-executions\.ts states:ListExecutions/, 'It reads one execution.'],
  [/^status .*dynamodb:(Put|Update|Delete)Item$/, 'It only reads.'],
  [/^restore .*dynamo-client\.ts dynamodb:(BatchGetItem|Query)/, 'It scans.'],
  [/^restore .*table-writes\.ts dynamodb:(Update|Delete)Item/, 'It puts whole items.'],
]

/** The calls of the AWS SDK in the code that a command imports, as actions of IAM, each with its file. */
function findCalls(command: string): ReadonlyMap<string, string> {
  const seen = new Set<string>()
  const calls = new Map<string, string>()
  const visit = (path: string) => {
    const source = sources.get(path)
    if (source === undefined || seen.has(path) || /^(lib|local|test)\//.test(path)) return
    seen.add(path)
    for (const [, made = '', listed = ''] of source.text.matchAll(/new (\w+)Command\(|paginate(\w+)\(/g)) {
      const [, service = path] = services.find(([file]) => file.test(path)) ?? []
      const name = made || listed
      const action = `${service}:${service === 'dynamodb' ? (dynamo[name] ?? name) : name}`
      calls.set(`${path} ${renamed[action] ?? action}`, renamed[action] ?? action)
    }
    for (const imported of importsOf(source)) visit(imported)
  }
  visit(`bin/${command}.ts`)
  return calls
}

const rows = readText('docs/permissions.md')
  .split('\n')
  .filter((line) => line.startsWith('| `'))
  .map((line) => line.split('|').slice(1, -1))

const spans = (text: string) => [...text.matchAll(/`([^`]+)`/g)].map(([, span = '']) => span)

const commands = [...new Set(rows.flatMap(([names = '']) => spans(names.replace(/\([^)]*\)/g, ''))))]

describe.each(commands)('the permissions of %s', (command) => {
  const documented = rows
    .filter(([names = '']) => spans(names).includes(command))
    .flatMap(([, , actions = '']) => spans(actions))
    .concat('cloudformation:DescribeStacks')
  const calls = findCalls(command)

  it('contain an action for every call that the command can make', () => {
    const missing = [...calls].filter(
      ([position, action]) =>
        !documented.includes(action) && !unmade.some(([call]) => call.test(`${command} ${position}`)),
    )
    expect(missing.map(([position]) => position)).toEqual([])
  })

  it('contain no action without a call', () => {
    // The CDK assumes its roles, and the SDK ends uploads that failed.
    const others = ['s3:AbortMultipartUpload', ...(/deploy|destroy/.test(command) ? ['sts:AssumeRole'] : [])]
    const known = new Set([...calls.values(), ...others])
    expect(documented.filter((action) => !known.has(action))).toEqual([])
  })
})

it('every command that reaches a stage is in the list of permissions', () => {
  const programs = [...sources.keys()].flatMap((path) => /^bin\/([a-z-]+)\.ts$/.exec(path)?.[1] ?? [])
  const staged = programs.filter((name) => {
    const { text = '' } = sources.get(`bin/${name}.ts`) ?? {}
    return /\binstallationOptions\b|\btexts\('stage'/.test(text)
  })
  expect(staged.length).toBeGreaterThan(5)
  expect(staged.filter((name) => !commands.includes(name))).toEqual([])
})
