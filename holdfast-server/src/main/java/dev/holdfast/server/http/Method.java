package dev.holdfast.server.http;

/** The methods that routes have. HEAD is a GET without a body. */
public enum Method {
  GET,
  POST,
  PUT,
  PATCH,
  DELETE
}
