import { type ScriptedStack, startCloudFormation } from '../../doubles/deployed-stacks.ts'
import { startHttpStub } from '../../doubles/http-stub.ts'
import { runCommandLine } from '../run-command-line.ts'
import { type ScriptedTable, startScriptedDynamo } from './scripted-dynamo.ts'

/** Contents of an account, besides the stack of the CDK's bootstrap. */
interface Account {
  readonly stacks: Readonly<Record<string, ScriptedStack>>
  readonly tables?: Readonly<Record<string, ScriptedTable>>
}

/**
 * Runs an npm command for an account, and returns what it printed, the tables that remain and the calls that it made.
 *
 * @param variables of the environment, besides those of the account
 */
export async function runOnAccount(
  command: string,
  args: readonly string[],
  { stacks, tables = {} }: Account,
  variables: Readonly<Record<string, string>> = {},
) {
  const result = '<GetCallerIdentityResult><Account>111122223333</Account></GetCallerIdentityResult>'
  const body = `<GetCallerIdentityResponse>${result}</GetCallerIdentityResponse>`
  await using sts = await startHttpStub(() => ({ status: 200, body }))
  await using cloudFormation = await startCloudFormation({ CDKToolkit: {}, ...stacks })
  await using dynamo = await startScriptedDynamo(tables)
  // Quotas and everything else are out of reach.
  const answered = await runCommandLine(command, args, {
    AWS_ENDPOINT_URL: 'http://127.0.0.1:9',
    AWS_ENDPOINT_URL_STS: sts.url,
    AWS_ENDPOINT_URL_CLOUDFORMATION: cloudFormation.url,
    AWS_ENDPOINT_URL_DYNAMODB: dynamo.url,
    AWS_REGION: 'eu-central-1',
    AWS_ACCESS_KEY_ID: 'local',
    AWS_SECRET_ACCESS_KEY: 'local',
    AWS_MAX_ATTEMPTS: '1',
    ...variables,
  })
  const actions = cloudFormation.calls.map((call) => new URLSearchParams(call.body).get('Action') ?? '')
  return { ...answered, tables: dynamo.listTables(), actions }
}
