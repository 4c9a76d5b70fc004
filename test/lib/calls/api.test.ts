import { describe, expect, it } from 'vitest'
import { httpStatusOf } from '../../../contract/errors.ts'
import { mcpRoute } from '../../../contract/mcp.ts'
import { pagePaths } from '../../../contract/pages.ts'
import { routes } from '../../../contract/routes.ts'
import { parseStage } from '../../../lib/stage/parse-stage.ts'
import { readText } from '../../templates/source-files.ts'
import type { Json, Resource } from '../../templates/templates.ts'
import {
  at,
  defaultStage,
  dev,
  everyStage,
  guarded,
  listOf,
  named,
  ofType,
  pascal,
  render,
  synthesise,
} from '../../templates/templates.ts'

const template = dev().service
const resources = ofType(template, 'AWS::ApiGateway::Resource')
const methods = ofType(template, 'AWS::ApiGateway::Method')

/** The full path of a resource, from the path parts of its parents. */
function pathOf(reference: Json | undefined): string {
  const id = render(reference).slice(1, -1)
  const resource = resources.find((candidate) => candidate.id === id)
  if (resource === undefined) return ''
  return `${pathOf(resource.properties['ParentId'])}/${render(resource.properties['PathPart'])}`
}

const methodLines = methods.map(({ properties }) => ({
  line: `${render(properties['HttpMethod'])} ${pathOf(properties['ResourceId'])}`,
  integration: properties['Integration'],
  properties,
}))

const targetOf = (integration: Json | undefined) => /<(\w+)[0-9A-F]{8}\.Arn>/.exec(render(at(integration, 'Uri')))?.[1]

describe('the metrics of the API', () => {
  it('carry the name of the stage, because CloudWatch aggregates APIs by name', () => {
    const { properties } = named(template, 'AWS::ApiGateway::RestApi', 'ApiRestApi')
    expect(properties['Name']).toBe('rate-search-dev')
  })

  it('exclude metrics per method, which CloudWatch would bill', () => {
    const [stage] = ofType(template, 'AWS::ApiGateway::Stage')
    const settings = listOf(stage?.properties['MethodSettings'])
    expect(new Set(settings.map((each) => at(each, 'MetricsEnabled')))).toEqual(new Set([false]))
  })

  it('would cost per method what the costs page says', () => {
    const metricsPerMethod = 5
    const dollars = (methods.length * metricsPerMethod * 0.3).toFixed(2)
    const claims = readText('docs/costs.md').match(/\d+ methods with five metrics each would be \$[\d.]+ a month/g)
    expect(claims).toEqual([`${methods.length} methods with five metrics each would be $${dollars} a month`])
  })
})

describe('the routes of the API', () => {
  it.each(routes)('$method $path calls the function of its name', ({ method, path, operation }) => {
    const route = methodLines.find(({ line }) => line === `${method} ${path}`)
    expect(at(route?.integration, 'Type')).toBe('AWS_PROXY')
    expect(targetOf(route?.integration)).toBe(pascal(operation))
  })

  it('match the contract, and not-found answers every other method and path', () => {
    const paths = ['', ...resources.map(({ id }) => pathOf({ Ref: id }))]
    const pages = pagePaths.map((path) => `GET ${path === '/' ? '' : path}`)
    const expected = [
      ...routes.map(({ method, path }) => `${method} ${path}`),
      ...pages,
      `${mcpRoute.method} ${mcpRoute.path}`,
      ...paths.map((path) => `ANY ${path}`),
    ]
    expect(methodLines.map(({ line }) => line).sort()).toEqual(expected.sort())
    const catchAll = methodLines.filter(({ line }) => line.startsWith('ANY '))
    expect(new Set(catchAll.map(({ integration }) => targetOf(integration)))).toEqual(new Set(['NotFound']))
  })

  it('end in a root proxy for every unknown path', () => {
    const root = render({
      'Fn::GetAtt': [named(template, 'AWS::ApiGateway::RestApi', 'ApiRestApi').id, 'RootResourceId'],
    })
    const proxies = resources.filter(({ properties }) => render(properties['PathPart']).endsWith('+}'))
    expect(proxies.map(({ properties }) => [properties['PathPart'], render(properties['ParentId'])])).toEqual([
      ['{proxy+}', root],
    ])
  })

  it('leave authorization to the functions', () => {
    for (const { properties } of methodLines) expect(properties['AuthorizationType']).toBe('NONE')
  })

  it('allow only this API to call the functions, without test invocations', () => {
    const permissions = ofType(template, 'AWS::Lambda::Permission').filter(
      ({ properties }) => properties['Principal'] === 'apigateway.amazonaws.com',
    )
    expect(permissions).toHaveLength(methods.length)
    for (const { properties } of permissions) {
      expect(render(properties['SourceArn'])).toMatch(/:execute-api:.*:<ApiRestApi[0-9A-F]{8}>\//)
      expect(render(properties['SourceArn'])).not.toContain('test-invoke-stage')
    }
  })
})

describe('an error of API Gateway itself', () => {
  const answers = ofType(template, 'AWS::ApiGateway::GatewayResponse')

  it.each(answers)('uses the error envelope with the request id: $properties.ResponseType', ({ properties }) => {
    const templates = properties['ResponseTemplates']
    expect(Object.keys(templates ?? {})).toEqual(['application/json'])
    const text = render(at(templates, 'application/json'))
    const body: unknown = JSON.parse(text.replaceAll('$context.requestId', '11111111-0000-4000-8000-000000000000'))
    expect(body).toEqual({
      error: {
        type: expect.toBeOneOf(Object.keys(httpStatusOf)),
        message: expect.stringMatching(/^[A-Z].*\.$/),
        request_id: '11111111-0000-4000-8000-000000000000',
      },
    })
    // Only the request id is filled in: any other gateway variable could echo what the client sent.
    expect(text.replaceAll('$context.requestId', '')).not.toContain('$')
  })

  it.each(answers)('carries the headers of every response: $properties.ResponseType', ({ properties }) => {
    const headers = properties['ResponseParameters']
    expect(at(headers, 'gatewayresponse.header.X-Request-Id')).toBe('context.requestId')
    expect(at(headers, 'gatewayresponse.header.Cache-Control')).toBe("'no-store'")
    const type = typeOf(properties)
    expect(at(headers, 'gatewayresponse.header.Retry-After')).toBe(type === 'rate_limited' ? "'2'" : undefined)
    expect(at(headers, 'gatewayresponse.header.WWW-Authenticate')).toBe(
      type === 'unauthorized' ? "'Bearer'" : undefined,
    )
  })

  it('carries the status of its type, unless it is the default of a whole class', () => {
    const statuses = answers.map(({ properties }) => [properties['ResponseType'], properties['StatusCode']])
    const statusOf = new Map(Object.entries(httpStatusOf))
    const expected = answers.map(({ properties }) => {
      const type = render(properties['ResponseType'])
      return [type, type.startsWith('DEFAULT_') ? undefined : String(statusOf.get(typeOf(properties)))]
    })
    expect(statuses).toEqual(expected)
    expect(statuses.map(([type]) => type)).toEqual(expect.arrayContaining(['DEFAULT_4XX', 'DEFAULT_5XX']))
  })

  function typeOf(properties: Resource['properties']): string {
    const text = render(at(properties['ResponseTemplates'], 'application/json'))
    return /"type":"(\w+)"/.exec(text)?.[1] ?? ''
  }
})

describe('the stage of the API', () => {
  const [stage] = ofType(template, 'AWS::ApiGateway::Stage')

  it('belongs to a regional API', () => {
    const api = named(template, 'AWS::ApiGateway::RestApi', 'ApiRestApi')
    expect(api.properties['EndpointConfiguration']).toEqual({ Types: ['REGIONAL'] })
  })

  it('applies the throttle of its settings to every method, and an eighth of it to messages of assistants', () => {
    const { requestsPerSecond, burst } = defaultStage.throttle
    expect(stage?.properties['StageName']).toBe(defaultStage.name)
    expect(stage?.properties['MethodSettings']).toEqual([
      expect.objectContaining({
        HttpMethod: '*',
        ResourcePath: '/*',
        ThrottlingRateLimit: requestsPerSecond,
        ThrottlingBurstLimit: burst,
        DataTraceEnabled: false,
      }),
      expect.objectContaining({
        HttpMethod: 'POST',
        ResourcePath: '/~1v1~1mcp',
        ThrottlingRateLimit: requestsPerSecond / 8,
        ThrottlingBurstLimit: burst / 8,
      }),
    ])
  })

  it('writes no access log by default, because that needs a role for the whole account', () => {
    expect(stage?.properties['AccessLogSetting']).toBeUndefined()
    expect(template.some(({ type }) => type === 'AWS::ApiGateway::Account')).toBe(false)
  })

  it('writes an access log with addresses and user agents, but no other headers or bodies, if enabled', () => {
    const [logging] = ofType(guarded().service, 'AWS::ApiGateway::Stage')
    const format = render(at(logging?.properties['AccessLogSetting'], 'Format'))
    expect(format).toContain('$context.requestId')
    const identity = [...format.matchAll(/\$context\.identity\.(\w+)/g)].map(([, field]) => field)
    expect(identity).toEqual(['sourceIp', 'userAgent'])
    expect(format).not.toMatch(/header|body|authorizer|\$input|\$context\.path\b/i)
    expect(ofType(guarded().service, 'AWS::ApiGateway::Account')).toHaveLength(1)
  })
})

describe.each(everyStage)('the templates of the stage "%s"', (_, synthesised) => {
  it('give physical names only to the workgroup, log groups of workflows and groups of schedules', () => {
    const { service, warehouse } = synthesised()
    // The names of APIs and inline policies are only labels and need not be unique.
    const labels = [
      ...['AWS::ApiGateway::RestApi', 'AWS::IAM::Policy', 'AWS::ApiGateway::Stage'],
      'AWS::Logs::QueryDefinition',
    ]
    const owned = [...service, ...warehouse].filter(({ type }) => !labels.includes(type))
    const names = owned.flatMap(({ id, properties }) =>
      Object.entries(properties)
        .filter(([key, value]) => /Name$/.test(key) && typeof value === 'string')
        .filter(([key]) => !['MetricName', 'AttributeName'].includes(key))
        .map(([key, value]) => `${id}.${key}: ${render(value)}`),
    )
    const needed = [
      /^WorkflowLogs[0-9A-F]{8}\.LogGroupName: \/aws\/vendedlogs\/states\/rate-search-dev$/,
      /^LoadsWorkflowLogs[0-9A-F]{8}\.LogGroupName: \/aws\/vendedlogs\/states\/rate-search-loads-dev$/,
      /^LoadsSchedulesGroup[0-9A-F]{8}\.Name: [\w-]+-Group-[0-9A-F]{8}$/,
      /^LoadsSchedulesSchedule\d[0-9A-F]{8}\.GroupName: [\w-]+-Group-[0-9A-F]{8}$/,
      /^WarehouseWorkGroup[0-9A-F]{8}\.Name: rates-dev$/,
    ]
    expect(names.length).toBeGreaterThan(1)
    expect(names.filter((name) => !needed.some((pattern) => pattern.test(name)))).toEqual([])
  })
})

describe('a custom domain', () => {
  const customDomain = {
    name: 'rates.example.com',
    certificateArn: 'arn:aws:acm:eu-central-1:111122223333:certificate/1',
    hostedZone: { id: 'Z0123456789ABC', name: 'example.com' },
  }
  const { service } = synthesise(parseStage('domain', { disposable: true, customDomain }))

  it('replaces the address of the API, so that no request bypasses a firewall in front of it', () => {
    const [api] = ofType(service, 'AWS::ApiGateway::RestApi')
    expect(api?.properties['DisableExecuteApiEndpoint']).toBe(true)
    const [other] = ofType(dev().service, 'AWS::ApiGateway::RestApi')
    expect(other?.properties['DisableExecuteApiEndpoint']).toBe(false)
  })

  it('maps to the API, over TLS 1.2', () => {
    const [domain] = ofType(service, 'AWS::ApiGateway::DomainName')
    expect(domain?.properties).toMatchObject({ DomainName: 'rates.example.com', SecurityPolicy: 'TLS_1_2' })
    expect(ofType(service, 'AWS::ApiGateway::BasePathMapping')).toHaveLength(1)
  })

  it('gets its DNS record in the hosted zone', () => {
    const [record] = ofType(service, 'AWS::Route53::RecordSet')
    expect(record?.properties).toMatchObject({ Name: 'rates.example.com.', Type: 'A', HostedZoneId: 'Z0123456789ABC' })
  })

  it('becomes the address in answers to clients', () => {
    const { properties } = named(service, 'AWS::Lambda::Function', 'CreateSearch')
    expect(at(properties['Environment'], 'Variables', 'PUBLIC_BASE_URL')).toBe('https://rates.example.com')
  })
})
