/** A model that is deployed in Azure. The key, the resource and the names of deployments come from the environment. */
import { complete, getModel } from "pi-ai";

const message = await complete(getModel("azure", "gpt-6.2-sol"), "Name three rivers in Norway.");
console.log(message.errorMessage ?? message.content);
