import type { IResource } from 'aws-cdk-lib/aws-apigateway'
import { EndpointType, LambdaIntegration, RestApi } from 'aws-cdk-lib/aws-apigateway'
import type { IFunction } from 'aws-cdk-lib/aws-lambda'
import { Construct } from 'constructs'
import type { Route } from '../contract/routes.ts'
import { routes } from '../contract/routes.ts'
import { addGatewayErrors } from './gateway-errors.ts'
import type { Stage } from './stage.ts'

export interface ApiProps {
  readonly stage: Stage
}

/** The REST API: a route for each call of the contract, and one answer for everything else. */
export class Api extends Construct {
  readonly restApi: RestApi
  /** The address below which clients find `/v1`. */
  readonly publicBaseUrl: string

  constructor(scope: Construct, id: string, { stage }: ApiProps) {
    super(scope, id)
    this.restApi = new RestApi(this, 'RestApi', {
      description: `Searches over healthcare reimbursement rates (${stage.name})`,
      endpointTypes: [EndpointType.REGIONAL],
      cloudWatchRole: false,
      deployOptions: { stageName: stage.name },
    })
    addGatewayErrors(this.restApi)
    // Made from the API's id and not from its URL: the URL depends on the deployment, and that on the functions.
    const { region } = this.restApi.env
    this.publicBaseUrl = stage.publicBaseUrl
      .replaceAll('{apiId}', this.restApi.restApiId)
      .replaceAll('{region}', region)
      .replaceAll('{stage}', stage.name)
  }

  /** Routes every call of the contract to its function, and every other path or method to `notFound`. */
  route(functions: Readonly<Record<Route['operation'], IFunction>>, notFound: IFunction): void {
    const integrate = (target: IFunction) => new LambdaIntegration(target, { allowTestInvoke: false })
    const nothing = integrate(notFound)
    const resources = new Set<IResource>([this.restApi.root])
    for (const { method, path, operation } of routes) {
      let resource: IResource = this.restApi.root
      for (const part of path.slice(1).split('/')) {
        resource = resource.getResource(part) ?? resource.addResource(part)
        resources.add(resource)
      }
      resource.addMethod(method, integrate(functions[operation]))
    }
    // A REST API answers 403 for a path or method that it does not know; ours are 404 and 405.
    for (const resource of resources) resource.addMethod('ANY', nothing)
    this.restApi.root.addResource('{proxy+}').addMethod('ANY', nothing)
  }
}
