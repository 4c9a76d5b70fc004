import { CfnLogGroup, CfnQueryDefinition } from 'aws-cdk-lib/aws-logs'
import { Construct } from 'constructs'

/** Conditions of the saved queries. Operators replace the words in angle brackets. */
const savedQueries = [
  { id: 'Search', name: 'lines of a search', condition: 'job_id = "<job id>"' },
  { id: 'Request', name: 'lines of a request', condition: 'request_id = "<request id>"' },
  { id: 'Load', name: 'lines of a load', condition: 'load_id = "<load>"' },
  { id: 'Key', name: 'requests with a key', condition: 'key_id = "<key id>"' },
  { id: 'FailedQueries', name: 'failed queries', condition: 'event in ["query failed", "workflow broke"]' },
  { id: 'Errors', name: 'errors and time-outs', condition: 'level = "ERROR" or record.status in ["timeout", "error"]' },
  { id: 'WebhookCalls', name: 'webhook calls', condition: 'event = "webhook called"' },
  {
    id: 'LargeReads',
    name: 'large reads',
    condition: 'event in ["query succeeded", "query failed"] and bytes_scanned > 10000000000',
  },
] as const

/**
 * Queries of Logs Insights over all logs of a stage, which cost nothing until somebody runs one. The console lists
 * them in a folder of the stage's name. Runbooks take the names of the stage's logs from them, because CloudFormation
 * chose those names, and a log group cannot be renamed without the loss of its lines.
 */
export class LogQueries extends Construct {
  /** @param scope the stack, with all of its logs */
  constructor(scope: Construct, id: string, stageName: string) {
    super(scope, id)
    const logGroupNames = scope.node
      .findAll()
      .filter((node) => node instanceof CfnLogGroup)
      .map(({ ref }) => ref)
    for (const { id: queryId, name, condition } of savedQueries)
      new CfnQueryDefinition(this, queryId, {
        name: `${stageName}/${name}`,
        logGroupNames,
        queryString: `fields @timestamp, @log, @message | filter ${condition} | sort @timestamp desc | limit 50`,
      })
  }
}
